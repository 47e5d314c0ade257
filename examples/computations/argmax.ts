import {
  at,
  compute,
  defineTemplate,
  equal,
  exactly,
  graphOf,
  maxOf,
  minOf,
  placeholder,
  reduceAxis,
  select,
  whole,
} from "warpfarm";

export const argmax = defineTemplate({
  name: "argmax",
  summary: "the first place of each row's greatest element",
  targets: ["cpu"],
  args: { rows: whole(12), columns: whole(40) },
  graph: ({ args: { rows, columns } }) => {
    const x = placeholder("x", [rows, columns]);
    const [j, k] = [reduceAxis("j", columns), reduceAxis("k", columns)];
    const most = compute("most", [["i", rows]], (i) => maxOf(at(x, i, j.loopVar), [j]));
    const out = compute("out", [["i", rows]], (i) =>
      minOf(select(equal(at(x, i, k.loopVar), at(most, i)), k.loopVar, columns), [k]),
    );
    return graphOf([x], [out]);
  },
  space: (space) => ({ rows: space.choice("rows", [1, 3, 4]) }),
  schedule: (schedule, { rows }) => {
    const out = schedule.stage("out");
    const [i] = exactly(1, schedule.axes(out));
    const [task, row] = exactly(2, schedule.split(i, [null, rows]));
    schedule.parallel(task);
    schedule.computeAt(schedule.stage("most"), out, row);
  },
});
