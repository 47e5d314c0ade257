import {
  add,
  at,
  compute,
  defineTemplate,
  div,
  exactly,
  graphOf,
  mul,
  placeholder,
  reduceAxis,
  sum,
  tanh,
  whole,
} from "warpfarm";

export const batchedProduct = defineTemplate({
  name: "batched_product",
  summary: "products of a batch, with bias and GELU",
  targets: ["cpu"],
  args: { batch: whole(3), rows: whole(10), columns: whole(12), depth: whole(17) },
  graph: ({ args: { batch, rows, columns, depth } }) => {
    const [a, b] = [placeholder("a", [batch, rows, depth]), placeholder("b", [batch, depth, columns])];
    const bias = placeholder("bias", [columns]);
    const k = reduceAxis("k", depth);
    const axes = [
      ["n", batch],
      ["i", rows],
      ["j", columns],
    ] as const;
    const product = compute("product", axes, (n, i, j) => sum(mul(at(a, n, i, k.loopVar), at(b, n, k.loopVar, j)), [k]));
    const biased = compute("biased", axes, (n, i, j) => add(at(product, n, i, j), at(bias, j)));
    const out = compute("out", axes, (n, i, j) => {
      const x = at(biased, n, i, j);
      const cube = mul(mul(x, x), x);
      return mul(div(x, 2), add(tanh(mul(add(x, mul(cube, 0.044715)), 0.7978845608)), 1));
    });
    return graphOf([a, b, bias], [out]);
  },
  space: (space) => ({ rows: space.choice("rows", [1, 2, 5]) }),
  schedule: (schedule, { rows }) => {
    const out = schedule.stage("out");
    const [n, i, j] = exactly(3, schedule.axes(out));
    const [tile, row] = exactly(2, schedule.split(i, [null, rows]));
    schedule.reorder([n, tile, j, row]);
    schedule.parallel(n);
    schedule.computeInline(schedule.stage("biased"));
    schedule.computeAt(schedule.stage("product"), out, j);
  },
});
