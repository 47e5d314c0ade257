/**
 * Runs of pixels of images (N, H, W, C) as the copy engine walks over them in its im2col mode. A loop over pixels stands in the
 * image, the row and the column of what is copied as digits of one number, the pixel's:
 *
 *   n = p / (OH*OW)   y = p / OW % OH * step + tap - border   x = p % OW * step + tap - border      p = first + i
 *
 * Digits, steps and borders are read off the coordinates, and a number p is proven to have these digits.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Atom, equalLinear, gcd, type Linear, pick, shift } from "../../arith/linear.ts";
import type { Var } from "../../ir/expr.ts";
import type { PixelWalk } from "../../ir/stmt.ts";

export interface Pixels {
  readonly walk: PixelWalk;
  /** Image, row and column without the tap; they depend on the loop. */
  readonly place: readonly [Linear, Linear, Linear];
  /** From 0 on. */
  readonly taps: readonly [Linear, Linear];
  /** The number of the pixel, which is below `count` where the image is in the tensor. */
  readonly pixel: Linear;
  readonly count: number;
}

/** `step` times a digit, plus a tap, plus the least of what remains. */
interface Side {
  readonly digit: Linear;
  readonly step: number;
  readonly places: number;
  readonly tap: Linear;
  readonly lower: number;
}

const variablesOf = (l: Linear): readonly Var[] => l.atoms.flatMap(({ variables }) => variables.map(({ variable }) => variable));
const names = (atom: Atom, of: ReadonlySet<Var>): boolean => atom.variables.some(({ variable }) => of.has(variable));

const subsets = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((__, i) => (bits >> i) & 1));

function sideOf(analyzer: Analyzer, at: Linear, taps: ReadonlySet<Var>): Side {
  const moving = pick(at, (_, atom) => !names(atom, taps));
  const tap = pick(at, (_, atom) => names(atom, taps));
  const step = moving.coefs.reduce(gcd, 0) || 1;
  const digit: Linear = { atoms: moving.atoms, coefs: moving.coefs.map((coef) => coef / step), constant: 0 };
  const { lo } = analyzer.boundsOf({ ...tap, constant: 0 });
  return {
    ...{ digit, step, places: analyzer.boundsOf(digit).hi + 1 },
    ...{ tap: { ...tap, constant: -lo }, lower: at.constant + lo },
  };
}

/** `dims`: N, H, W, C. Undefined: the loop does not walk over pixels so. */
export function pixelsOf(
  analyzer: Analyzer,
  [n, y, x]: readonly Linear[],
  dims: readonly number[],
  loop: Var,
): Pixels | undefined {
  if (!n || !y || !x || dims.length !== 4) return undefined;
  const outer = [...new Set([...variablesOf(y), ...variablesOf(x)])].filter((v) => v !== loop);
  // Any division into taps and places that is proven is right.
  for (const taps of subsets(outer)) {
    const named = new Set(taps);
    const sides = [sideOf(analyzer, y, named), sideOf(analyzer, x, named)] as const;
    const pixel = walked(analyzer, n, sides, loop);
    if (pixel) return made(n, sides, dims, pixel);
  }
  return undefined;
}

/** The number of the pixel, where the coordinates are its digits. */
function walked(analyzer: Analyzer, n: Linear, [y, x]: readonly [Side, Side], loop: Var): Linear | undefined {
  if (analyzer.boundsOf(y.digit).lo !== 0 || analyzer.boundsOf(x.digit).lo !== 0) return undefined;
  const perImage = y.places * x.places;
  const joined = analyzer.sum(x.digit, analyzer.sum(y.digit, n, y.places), x.places);
  const bases = [n, y.digit, x.digit].flatMap(({ atoms }) => atoms.flatMap((atom) => (atom.kind === "split" ? [atom.base] : [])));
  const isOne = (l: Linear, ...forms: readonly Linear[]) => forms.some((form) => equalLinear(l, form));
  return [joined, ...bases].find((pixel) => {
    const row = analyzer.floorDiv(pixel, x.places);
    return (
      isCounting(pixel, loop) &&
      isOne(x.digit, analyzer.floorMod(pixel, x.places)) &&
      (y.places === 1 || isOne(y.digit, analyzer.split(pixel, x.places, perImage), analyzer.floorMod(row, y.places))) &&
      isOne(n, analyzer.floorDiv(pixel, perImage), analyzer.floorDiv(row, y.places))
    );
  });
}

/** Whether the number grows by one with the loop. */
function isCounting(l: Linear, loop: Var): boolean {
  const isLoop = (atom: Atom) => atom.kind === "var" && atom.variable === loop;
  const rest = pick(l, (_, atom) => !isLoop(atom));
  return pick(l, (_, atom) => isLoop(atom)).coefs[0] === 1 && !variablesOf(rest).includes(loop);
}

function made(n: Linear, sides: readonly [Side, Side], dims: readonly number[], pixel: Linear): Pixels {
  const place = ({ digit, step, lower }: Side) => shift({ ...digit, coefs: digit.coefs.map((coef) => coef * step) }, lower);
  const upper = sides.map(({ lower, step, places }, d) => lower + (places - 1) * step - ((dims[d + 1] as number) - 1));
  return {
    walk: { lower: sides.map(({ lower }) => lower), upper, steps: sides.map(({ step }) => step) },
    place: [n, place(sides[0]), place(sides[1])],
    taps: [sides[0].tap, sides[1].tap],
    ...{ pixel, count: (dims[0] as number) * sides[0].places * sides[1].places },
  };
}
