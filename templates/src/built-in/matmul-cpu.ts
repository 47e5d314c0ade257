/**
 * Matrix product on a CPU, arguments as the auto-tensorcore tutorial's (docs/reference/source-programs.md 4): C (N, M) of A (N,
 * L) and B (L, M), each perhaps stored transposed. What is transposed, and what is not float32, is brought into rows of the
 * accumulator's type first; a register tile of R rows by V vectors of C is accumulated over the whole reduction: each step loads
 * V vectors of a row of B and broadcasts R elements of A.
 */
import {
  at,
  type Buffer,
  cast,
  compute,
  divisors,
  graphOf,
  matmul,
  matmulLayouts,
  placeholder,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { type ArgValues, whole, word } from "../template-args.ts";
import { parallelCopy, tileAccumulator, tileStage } from "./register-tile.ts";
import { lanesFor, registerTiles } from "./vector-unit.ts";

const args = {
  N: whole(512),
  L: whole(512),
  M: whole(512),
  dtype: word("float32", ["float32", "float16", "int8"]),
  layout: word("NN", matmulLayouts),
};
type Args = ArgValues<typeof args>;

const accumulator = ({ dtype }: Args) => (dtype === "int8" ? "int32" : "float32");
/** The second letter of a layout is A's, the first B's. */
const isTransposed = ({ layout }: Args) => ({ A: layout[1] === "T", B: layout[0] === "T" });
const isCopied = (values: Args, operand: "A" | "B") => values.dtype !== "float32" || isTransposed(values)[operand];

function inputs(values: Args): readonly [Buffer, Buffer] {
  const { N, L, M, dtype } = values;
  const transposed = isTransposed(values);
  return [placeholder("A", transposed.A ? [L, N] : [N, L], dtype), placeholder("B", transposed.B ? [M, L] : [L, M], dtype)];
}

/** The operand in rows of the accumulator's type; the operand itself when it already is. */
function inRows(operand: Buffer, values: Args): Buffer {
  const name = operand.name as "A" | "B";
  if (!isCopied(values, name)) return operand;
  const transposed = isTransposed(values)[name];
  const [first = 1, second = 1] = operand.shape;
  const axes = transposed
    ? ([
        ["r", second],
        ["c", first],
      ] as const)
    : ([
        ["r", first],
        ["c", second],
      ] as const);
  return compute(`${name}_rows`, axes, (r, c) => cast(accumulator(values), transposed ? at(operand, c, r) : at(operand, r, c)));
}

export const matmulCpu = defineTemplate({
  name: "matmul_cpu",
  aliases: [],
  summary: "matrix product on a CPU: register tiles, vectors over columns",
  targets: [{ kind: "cpu" }],
  args,

  graph: ({ args: values }) => {
    const [a, b] = inputs(values);
    return graphOf([a, b], [matmul(inRows(a, values), inRows(b, values))]);
  },
  reference: ({ args: values }) => {
    const [a, b] = inputs(values);
    return graphOf([a, b], [matmul(a, b, { layout: values.layout, outDtype: accumulator(values) })]);
  },

  space: (space, sch, { args: { N, M }, target }) => {
    const [k] = exactly(1, sch.reduceAxes(sch.stage("C")));
    const tiles = divisors(N).flatMap((r) => divisors(M / lanesFor(M, target)).map((v) => [r, v] as const));
    return {
      tile: space.choice("tile", registerTiles(tiles, target)),
      tileK: space.split("tile_k", { loop: k, extent: sch.extent(k) }, { parts: 2, maxFactor: 16 }),
      parallel: space.choice("parallel", ["rows", "columns"]),
    };
  },

  schedule: (sch, { tile: [rows, vectors], tileK, parallel }, { args: values, target }) => {
    const lanes = lanesFor(values.M, target);
    for (const operand of ["A", "B"] as const) if (isCopied(values, operand)) parallelCopy(sch, sch.stage(`${operand}_rows`), 1);

    const C = sch.stage("C");
    const acc = sch.cacheWrite(C, "local");
    const [i, j] = exactly(2, sch.axes(C));
    const { rowOuter, columnOuter, inner } = tileStage(sch, i, j, { rows, vectors, lanes });
    const [task, tile] = parallel === "columns" ? [columnOuter, rowOuter] : [rowOuter, columnOuter];
    sch.reorder([task, tile, ...inner]);
    sch.computeAt(acc, C, tile);

    const [kOuter, kInner] = exactly(2, tileK.apply(sch));
    tileAccumulator(sch, acc, [kOuter, kInner], 1, lanes);
    sch.parallel(task);
  },
});
