/**
 * Reductions on a CPU: a tile of the result is accumulated in registers over the whole reduction, in vectors along one axis;
 * operands that do not lie along it are packed. The tile holds two or more elements along several axes of a product, so each
 * vector that is loaded is used several times. tile-steps.ts has the steps.
 *
 *   tile_AXIS   elements or, along the vectors' axis, vectors of the tile
 *   vector      the axis of the vectors
 *   step        terms between two tests of the innermost plain loop; unroll: so many inner loops are written out
 *   inside      whether the windows' loops or the others are innermost; outer: which group of axes the outermost loops have
 *   tasks       so many outer loops are shared out over processors
 */
import { type Axis, accessesOf, type ComputeOp, divisors, grainOf, reads } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import type { Group } from "../groups.ts";
import { allowed, knobsOf, type Part, type Values } from "../part.ts";
import { reuseGroups } from "../stages.ts";
import { cyclesOf } from "./cycles.ts";
import { scheduleTile } from "./tile-steps.ts";
import { elementwise, type Vectors, vectorsOf } from "./vectors.ts";

const mostTile = 16;

export interface TileOf {
  readonly op: ComputeOp;
  readonly root: ComputeOp;
  readonly inside: readonly ComputeOp[];
  readonly groups: readonly (readonly number[])[];
  /** Positions of the axes that the tile may have more than one element along. */
  readonly tiled: readonly number[];
  /** Axes of the reduction that an index adds to one of the result's. */
  readonly windows: readonly Axis[];
  readonly plain: readonly Axis[];
  readonly target: string;
}

export interface TileChoice {
  readonly vectors: Vectors;
  /** Along each of `tiled`. */
  readonly tile: readonly number[];
  readonly step: number;
  readonly inside: string;
  readonly unroll: number;
  readonly outer: string;
  readonly tasks: number;
}

/** Divisors, and for an extent without any small ones tiles whose last one is not full. */
function sizesFor(extent: number): readonly number[] {
  const sizes = divisors(extent).filter((size) => size <= mostTile);
  return sizes.length > 1 || extent <= 4 ? sizes : [1, 2, 4];
}

const isWindow = (op: ComputeOp, axis: Axis): boolean =>
  accessesOf(op.body).some(({ indices }) =>
    indices.some(
      (index) => reads(index, (v) => v === axis.loopVar) && reads(index, (v) => op.axes.some(({ loopVar }) => loopVar === v)),
    ),
  );

/** Vectors along the axis, or elements. */
const unitsOf = (op: ComputeOp, { axis, lanes }: Vectors, position: number): number => {
  const { extent } = op.axes[position] as Axis;
  return position === axis ? Math.ceil(extent / lanes) : extent;
};

/** Sizes of the tile along an axis: of an axis that is read as axis // F, those that lie within F. */
function tileSizes(op: ComputeOp, vectors: Vectors, position: number): readonly number[] {
  const { loopVar } = op.axes[position] as Axis;
  const grains = accessesOf(op.body)
    .map((load) => grainOf(load, loopVar))
    .filter((grain) => grain > 1);
  const along = position === vectors.axis ? vectors.lanes : 1;
  return sizesFor(unitsOf(op, vectors, position)).filter((size) => grains.every((grain) => grain % (size * along) === 0));
}

/** The largest product of one size of each list that is at most `most`. */
const largest = (lists: readonly (readonly number[])[], most: number): number =>
  lists
    .reduce<readonly number[]>(
      (found, sizes) => [...new Set(found.flatMap((n) => sizes.map((s) => n * s)))].filter((n) => n <= most),
      [1],
    )
    .reduce((a, b) => Math.max(a, b), 1);

export function tilePart(group: Group, target: string): Part {
  const op = group.sums[0] as ComputeOp;
  const found = reuseGroups(op);
  const groups = found.map(({ axes }) => axes);
  const all = vectorsOf(op, target, found);
  const choices = all.length > 0 ? all : [elementwise];
  const isTiled = (position: number) =>
    groups.length < 2 || groups.some((axes) => axes.includes(position)) || choices.some(({ axis }) => axis === position);
  const tiled = op.axes.flatMap(({ extent }, position) => (extent > 1 && isTiled(position) ? [position] : []));
  const windows = op.reduce.filter((axis) => isWindow(op, axis));
  const plain = op.reduce.filter((axis) => !windows.includes(axis));
  const of: TileOf = { op, root: group.root, inside: group.inside, groups, tiled, windows, plain, target };

  const nameOf = (position: number): string => (op.axes[position] as Axis).loopVar.name;
  const word = ({ axis, packs }: Vectors): string =>
    axis === undefined ? "none" : `${nameOf(axis)}${packs.length > 0 ? ".packed" : ""}`;
  const [first, ...rest] = choices.map(word);
  const last = plain.at(-1)?.extent ?? 1;
  const knobs = knobsOf(op.output.name, {
    vector: [first as string, ...rest],
    step: [1, ...divisors(last).filter((d) => d > 1 && d <= mostTile)],
    inside: windows.length > 0 && plain.length > 0 ? ["windows", "terms"] : ["windows"],
    unroll: allowed([0, 1, 2], (loops) => loops <= op.reduce.length),
    outer: groups.length > 1 ? ["first", "second"] : ["first"],
    tasks: groups.length > 1 ? allowed([1, 2, 3], (loops) => loops <= tiled.length) : [1],
  });
  const sizes = (vectors: Vectors) => tiled.map((position) => tileSizes(op, vectors, position));
  const tiles = knobsOf(
    op.output.name,
    Object.fromEntries(
      tiled.map((position, i) => {
        const some = new Set(choices.flatMap((vectors) => sizes(vectors)[i] as readonly number[]));
        return [`tile_${nameOf(position)}`, [1, ...[...some].filter((size) => size > 1).sort((a, b) => a - b)]] as const;
      }),
    ) as Record<string, [number, ...number[]]>,
  );
  const tileNames = tiled.map((position) => tiles.names[`tile_${nameOf(position)}`] as string);
  const product = tileNames.length > 0 ? tileNames.join(" * ") : "1";
  const most = vectorUnit(target).registers - 2;
  const constraints = choices.flatMap((vectors) => {
    const own = sizes(vectors);
    const unless = `${knobs.names.vector} != ${JSON.stringify(word(vectors))} or`;
    return [
      ...tileNames.map((name, i) => `${unless} ${name} in [${(own[i] as readonly number[]).join(", ")}]`),
      `${unless} ${product} >= ${Math.min(4, largest(own, most))}`,
    ];
  });
  const chosen = (values: Values): TileChoice => {
    const { vector, ...rest } = knobs.of(values);
    return {
      ...rest,
      vectors: choices.find((vectors) => word(vectors) === vector) as Vectors,
      tile: tileNames.map((name) => values.get(name) as number),
    };
  };
  return {
    rule: groups.length > 1 ? "product in registers" : "sums in registers",
    knobs: [...knobs.knobs, ...tiles.knobs],
    constraints: [`${product} <= ${most}`, ...constraints],
    score: (values) => -cyclesOf(of, chosen(values)),
    apply: (schedule, values) => scheduleTile(schedule, of, chosen(values)),
  };
}
