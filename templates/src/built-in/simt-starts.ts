/**
 * Configs with which a search of a product of register tiles begins: of each size of block and each number of splits the config
 * of the fewest estimated cycles (cuda-cycles.ts), of these the best four.
 */
import { simtCycles } from "../cuda-cycles.ts";
import type { KnobValues } from "../starts.ts";

interface Sizes {
  readonly rows: number;
  readonly columns: number;
  readonly terms: number;
}
interface Options {
  readonly scattered: readonly [boolean, boolean];
  readonly splits: readonly number[];
  readonly target: string;
}

const most = 4;

/** The values of a tile's knobs, and of `splits`, the fewest cycles first. */
export function simtStarts(sizes: Sizes, { scattered, splits, target }: Options): readonly KnobValues[] {
  const best = new Map<string, { readonly cycles: number; readonly values: KnobValues }>();
  for (const tile of allTiles())
    for (const parts of splits) {
      const block = [tile.threadRows * tile.rowWarps * tile.laneRows, (tile.threadCols * tile.colWarps * 32) / tile.laneRows];
      const cycles = simtCycles({ ...sizes, batch: 1 }, { ...tile, splits: parts }, { scattered, target });
      const key = [...block, parts].join();
      if (cycles < (best.get(key)?.cycles ?? Number.POSITIVE_INFINITY)) best.set(key, { cycles, values: valuesOf(tile, parts) });
    }
  return [...best.values()]
    .sort((a, b) => a.cycles - b.cycles)
    .slice(0, most)
    .map(({ values }) => values);
}

type Tile = ReturnType<typeof allTiles>[number];
const valuesOf = (tile: Tile, splits: number): KnobValues => ({
  ...{ thread_rows: tile.threadRows, thread_cols: tile.threadCols, row_warps: tile.rowWarps, col_warps: tile.colWarps },
  ...{ lane_rows: tile.laneRows, chunk: tile.chunk, stages: tile.stages, min_blocks: tile.min_blocks, splits },
});

function allTiles() {
  const sides = [4, 8];
  return sides.flatMap((threadRows) =>
    sides.flatMap((threadCols) =>
      [1, 2, 4, 8].flatMap((rowWarps) =>
        [1, 2, 4].flatMap((colWarps) =>
          [2, 4, 8].flatMap((laneRows) =>
            [16, 32].flatMap((chunk) =>
              [2, 3].flatMap((stages) =>
                [1, 2].map((min_blocks) => ({ threadRows, threadCols, rowWarps, colWarps, laneRows, chunk, stages, min_blocks })),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
