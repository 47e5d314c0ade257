/**
 * A product of float16 or bfloat16 on the tensor cores of sm_90a (wgmma), whose operands the copy engine brings: the tiles, ring
 * and grid of built-in/tma-product.ts for the views of a product.
 */
import { bulkProcessors, type Schedule, type StageRef, wgmma } from "@warpfarm/compiler/language";
import { placeLanes, rows, storedByEngine } from "../../built-in/tma-places.ts";
import { feedTiles, fits, inTiles, lineOf, registersOf, type TmaKnobs, tmaOutline, unitOf } from "../../built-in/tma-product.ts";
import { wgmmaCycles } from "../../cuda-cycles.ts";
import type { Group } from "../groups.ts";
import { allowed, knobsOf, type Part } from "../part.ts";
import { sizeOf } from "../stages.ts";
import type { Line } from "./boxes.ts";
import { extentsOf, type Product, type Side } from "./canonical.ts";
import { hasFewTiles, inlineAround, layInTiles, summed } from "./root-loops.ts";

const isAlong = ({ along }: Side): boolean => along === "sum";

/** Bytes of shared memory for a block, of which barriers need some. */
const mostShared = 232_448;
const barriers = 1024;

const counts = [64, 96, 128, 160, 192, 224, 256, 32, 16] as const;
/** The widest panel that divides the columns. */
const panelOf = (columns: number): Line => ([64, 32, 16] as const).find((width) => columns % width === 0) ?? 16;

/** Does the engine store the result: a matrix of whole rows of 16 bytes? */
const isStored = ({ root }: Group, { batch, left, right }: Product): boolean =>
  sizeOf(batch) === 1 &&
  root.axes.length === 2 &&
  (root.output.dtype === "float16" || root.output.dtype === "bfloat16") &&
  right.extent.extent % unitOf(root.output.dtype) === 0 &&
  left.extent.extent >= rows;

/** Why the copy engine does not serve the product, as the end of a sentence; undefined where it does. */
export function unfedBy({ left, right, terms, half }: Product): string | undefined {
  if (half === undefined) return "its operands are no float16 or bfloat16";
  const [odd] = [left, right].filter(({ lines }) => lines.length === 0);
  if (odd) return `the copy engine cannot bring ${odd.view}`;
  if (linesOf({ left, right, terms }).length === 0) return `no line of both operands divides its ${terms.padded} terms`;
  return fits(left.extent.padded, rows) ? undefined : `its ${left.extent.extent} rows are no whole tiles of ${rows}`;
}

const linesOf = ({ left, right, terms }: Pick<Product, "left" | "right" | "terms">): readonly Line[] =>
  left.lines.filter((line) => right.lines.includes(line) && terms.padded % line === 0);

/** Requires a product that the engine serves. */
export function wgmmaPart(group: Group, product: Product, target: string): Part {
  const { left, right, terms, name } = product;
  // Longer lines are fewer barriers for the same products.
  const [line] = linesOf(product) as readonly [Line];
  const stored = isStored(group, product);
  const isSmall = hasFewTiles(product, bulkProcessors);
  const knobs = knobsOf(
    name,
    {
      consumers: allowed([1, 2, 3, 4], (consumers) => fits(left.extent.padded, rows * consumers)),
      columns: allowed(counts, (columns) => right.extent.padded % columns === 0),
      slots: [2, 3, 4, 5, 6, 7, 8],
      group: [1, 2, 4, 8, 16],
      /** Tiles that a block computes one after the other; 0: one block for each multiprocessor. */
      waves: [1, 2, 4, 8, 0],
      // Without one a consumer frees a slot once the next products began, for which a short line has too few.
      producer: line === 64 ? [0, 56] : [56],
      cluster: [1, "2m", "2n"],
      order: ["rows", "group"],
      /** The engine stores the result out of shared memory, in so many parts; 0: the threads do. */
      parts: stored ? [0, 1, 2, 4] : [0],
      /** Parts of the sum that have blocks of their own, where there are few tiles. */
      splits: allowed([1, 2, 4, 8], (splits) => splits === 1 || (isSmall && terms.padded % (line * splits) === 0)),
    },
    { splits: 1 },
  );
  const { names } = knobs;
  const tile = `${rows} * ${names.consumers}`;
  const result = stored ? ` + (${tile} * ${names.columns} // ${names.parts} if ${names.parts} > 0 else 0)` : "";
  return {
    rule: "product on warpgroups",
    knobs: knobs.knobs,
    constraints: [
      // As many sums as fit beside addresses into the registers that a thread of so many warpgroups has when it starts.
      `${names.columns} <= (256 if ${names.consumers} <= 2 else 128 if ${names.consumers} == 3 else 64)`,
      `2 * (${line} * ${names.slots} * (${tile} + ${names.columns})${result}) + ${barriers} <= ${mostShared}`,
      // Tiles below the last row and right of the last column read what a copy of the whole side has not.
      `${left.extent.padded} > ${tile} or (${names.group} == 1 and ${names.waves} == 1 and ${names.cluster} != '2m')`,
      `${right.extent.padded} > ${names.columns} or ${names.cluster} != '2n'`,
      ...(stored ? [`${names.parts} == 0 or ${names.columns} % (64 * ${names.parts}) == 0`] : []),
      `${names.splits} == 1 or ${names.parts} == 0`,
    ],
    outline: (values) => tmaOutline(knobs.of(values), extentsOf(product), line),
    score(values) {
      const sizes = { ...extentsOf(product), K: terms.padded };
      return -4 * Math.log2(wgmmaCycles(sizes, { ...knobs.of(values), line }, target));
    },
    apply(schedule, values) {
      inlineAround(schedule, group, product);
      multiply(schedule, group, product, { ...knobs.of(values), line } as Choice);
    },
  };
}

interface Choice extends Pick<TmaKnobs, "consumers" | "columns" | "group" | "waves" | "producer"> {
  readonly line: Line;
  readonly slots: TmaKnobs["stages"];
  readonly cluster: 1 | "2m" | "2n";
  readonly order: "rows" | "group";
  readonly parts: number;
  readonly splits: number;
}

function multiply(schedule: Schedule, group: Group, product: Product, choice: Choice): void {
  const { left, right, half, terms } = product;
  const { columns, line, slots, producer, consumers, parts, splits } = choice;
  const panel = panelOf(columns);
  const along = [isAlong(left), isAlong(right)] as const;
  const core = wgmma({
    dtype: half as "float16",
    n: columns,
    a: along[0] ? { major: "k", swizzle: (2 * line) as 128 } : { major: "mn", swizzle: 128 },
    b: along[1] ? { major: "k", swizzle: (2 * line) as 128 } : { major: "mn", swizzle: (2 * panel) as 128 },
  });
  const out = schedule.stage(group.root.output.name);
  const stored = parts > 0 ? schedule.cacheWrite(out, "shared") : undefined;
  const made = summed(schedule, group, product, "warpgroup.accumulator", splits > 1 ? terms.padded / splits : undefined);
  const { sums, isPart } = made;
  const copyOf = ({ view }: Side): StageRef => schedule.cacheRead(schedule.stage(view), "shared", [sums]);
  const copies = [copyOf(left), copyOf(right)] as const;
  const [, tileAxes] = layInTiles(schedule, made, inTiles(columns, along[1] ? undefined : panel));
  const sides = { i: made.rows, j: made.columns, before: made.batch };
  const place =
    stored === undefined
      ? placeLanes(schedule, made.at, choice, sides, isPart || product.run % 2 === 0)
      : storedByEngine(schedule, { C: out, CS: stored, ...sides, line: lineOf(group.root.output.dtype) }, choice);
  if (producer > 0) schedule.specialize(made.at, ...registersOf(consumers, producer));
  schedule.computeAt(sums, place.stage, place.loop);
  const panels = [along[0] ? undefined : rows, along[1] ? undefined : panel] as const;
  feedTiles(schedule, { sums, tileAxes, copies, product: core, panels, step: line }, { ...choice, stages: slots });
}
