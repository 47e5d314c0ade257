import {
  at,
  compute,
  defineTemplate,
  div,
  exactly,
  exp,
  graphOf,
  maxOf,
  placeholder,
  reduceAxis,
  sub,
  sum,
  whole,
} from "warpfarm";

export const rowSoftmax = defineTemplate({
  name: "row_softmax",
  summary: "softmax of rows, the rows on threads",
  targets: ["cpu"],
  args: { rows: whole(14), columns: whole(33) },
  graph: ({ args: { rows, columns } }) => {
    const x = placeholder("x", [rows, columns]);
    const [j, k] = [reduceAxis("j", columns), reduceAxis("k", columns)];
    const most = compute("most", [["i", rows]], (i) => maxOf(at(x, i, j.loopVar), [j]));
    const all = [
      ["i", rows],
      ["c", columns],
    ] as const;
    const power = compute("power", all, (i, c) => exp(sub(at(x, i, c), at(most, i))));
    const total = compute("total", [["i", rows]], (i) => sum(at(power, i, k.loopVar), [k]));
    return graphOf([x], [compute("out", all, (i, c) => div(at(power, i, c), at(total, i)))]);
  },
  space: (space) => ({ rows: space.choice("rows", [1, 2, 7]) }),
  schedule: (schedule, { rows }) => {
    const out = schedule.stage("out");
    const [i] = exactly(2, schedule.axes(out));
    const [task, row] = exactly(2, schedule.split(i, [null, rows]));
    schedule.parallel(task);
    for (const stage of ["total", "power", "most"]) schedule.computeAt(schedule.stage(stage), out, row);
  },
});
