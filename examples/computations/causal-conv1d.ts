import {
  add,
  at,
  compute,
  defineTemplate,
  exactly,
  graphOf,
  greaterEqual,
  mul,
  placeholder,
  reduceAxis,
  select,
  sub,
  sum,
  whole,
} from "warpfarm";

export const causalConv1d = defineTemplate({
  name: "causal_conv1d",
  summary: "each channel by a window over the present and the past",
  targets: ["cpu"],
  args: { batch: whole(2), steps: whole(19), channels: whole(8), taps: whole(4) },
  graph: ({ args: { batch, steps, channels, taps } }) => {
    const [x, w] = [placeholder("x", [batch, steps, channels]), placeholder("w", [taps, channels])];
    const k = reduceAxis("k", taps);
    const past = sub(k.loopVar, taps - 1);
    const axes = [
      ["n", batch],
      ["t", steps],
      ["c", channels],
    ] as const;
    const out = compute("out", axes, (n, t, c) =>
      sum(mul(select(greaterEqual(add(t, past), 0), at(x, n, add(t, past), c), 0), at(w, k.loopVar, c)), [k]),
    );
    return graphOf([x, w], [out]);
  },
  space: (space) => ({ lanes: space.choice("lanes", [4, 8]) }),
  schedule: (schedule, { lanes }) => {
    const out = schedule.stage("out");
    const [n, t, c] = exactly(3, schedule.axes(out));
    const [k] = exactly(1, schedule.reduceAxes(out));
    const [chunk, lane] = exactly(2, schedule.split(c, [null, lanes]));
    schedule.reorder([n, t, chunk, k, lane]);
    schedule.parallel(n);
    schedule.vectorize(lane);
  },
});
