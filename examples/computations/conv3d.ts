import {
  add,
  all,
  at,
  compute,
  defineTemplate,
  exactly,
  graphOf,
  greaterEqual,
  less,
  mul,
  placeholder,
  reduceAxis,
  select,
  sub,
  sum,
  whole,
} from "warpfarm";

export const conv3d = defineTemplate({
  name: "conv3d",
  summary: "convolution of volumes, 3 x 3 x 3, padded by 1",
  targets: ["cpu"],
  args: { input: whole(3), output: whole(4), size: whole(7) },
  graph: ({ args: { input, output, size } }) => {
    const [x, w] = [placeholder("x", [input, size, size, size]), placeholder("w", [output, input, 3, 3, 3])];
    const [c, r, s, t] = [reduceAxis("c", input), reduceAxis("r", 3), reduceAxis("s", 3), reduceAxis("t", 3)];
    const axes = [
      ["o", output],
      ["z", size],
      ["y", size],
      ["x", size],
    ] as const;
    const out = compute("out", axes, (o, z, y, column) => {
      const from = [sub(add(z, r.loopVar), 1), sub(add(y, s.loopVar), 1), sub(add(column, t.loopVar), 1)];
      const inside = all(...from.flatMap((place) => [greaterEqual(place, 0), less(place, size)]));
      const tap = at(w, o, c.loopVar, r.loopVar, s.loopVar, t.loopVar);
      return sum(mul(select(inside, at(x, c.loopVar, ...from), 0), tap), [c, r, s, t]);
    });
    return graphOf([x, w], [out]);
  },
  space: (space) => ({ unroll: space.choice("unroll", [0, 1]), outer: space.choice("outer", ["filters", "planes"]) }),
  schedule: (schedule, { unroll, outer }) => {
    const out = schedule.stage("out");
    const [o, z] = exactly(4, schedule.axes(out));
    const [, , , t] = exactly(4, schedule.reduceAxes(out));
    if (outer === "planes") schedule.reorder([z, o]);
    schedule.parallel(outer === "planes" ? z : o);
    if (unroll === 1) schedule.unroll(t);
  },
});
