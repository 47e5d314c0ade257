import { at, cast, compute, defineTemplate, exactly, graphOf, mul, placeholder, reduceAxis, sum, whole } from "warpfarm";

export const int8Scales = defineTemplate({
  name: "int8_scales",
  summary: "a product of int8 with a scale for each row and each column",
  targets: ["cpu"],
  args: { rows: whole(9), columns: whole(16), depth: whole(37) },
  graph: ({ args: { rows, columns, depth } }) => {
    const [a, b] = [placeholder("a", [rows, depth], "int8"), placeholder("b", [depth, columns], "int8")];
    const [ofRow, ofColumn] = [placeholder("of_row", [rows]), placeholder("of_column", [columns])];
    const k = reduceAxis("k", depth);
    const axes = [
      ["i", rows],
      ["j", columns],
    ] as const;
    const product = compute("product", axes, (i, j) =>
      sum(mul(cast("int32", at(a, i, k.loopVar)), cast("int32", at(b, k.loopVar, j))), [k]),
    );
    const out = compute("out", axes, (i, j) => mul(mul(cast("float32", at(product, i, j)), at(ofRow, i)), at(ofColumn, j)));
    return graphOf([a, b, ofRow, ofColumn], [out]);
  },
  space: (space) => ({ width: space.choice("width", [4, 8, 16]) }),
  schedule: (schedule, { width }) => {
    const out = schedule.stage("out");
    const [i, j] = exactly(2, schedule.axes(out));
    const [chunk] = exactly(2, schedule.split(j, [null, width]));
    schedule.parallel(i);
    schedule.computeAt(schedule.stage("product"), out, chunk);
  },
});
