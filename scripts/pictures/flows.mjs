/** Pictures of the manuals: boxes at places, with arrows between them that say what goes along. */
import { at, picture, text } from "../results/svg.mjs";
import { box, style } from "./draw.mjs";

const half = (size) => size / 2;

/** Where a line from the middle of `a` towards `b` leaves `a`, 2 beyond its edge. */
function edge(a, b) {
  const [ax, ay] = [a.x + half(a.w), a.y + half(a.h)];
  const [dx, dy] = [b.x + half(b.w) - ax, b.y + half(b.h) - ay];
  const scale = Math.min((half(a.w) + 2) / Math.abs(dx || 1e-9), (half(a.h) + 2) / Math.abs(dy || 1e-9));
  return [ax + dx * scale, ay + dy * scale];
}

/** Boxes of one row or column are joined by a straight arrow, others by one that goes to the middle of the nearest side. */
function arrow(a, b, says = "") {
  const [[x1, y1], [x2, y2]] = [edge(a, b), edge(b, a)];
  const isUpright = Math.abs(x1 - x2) < 1;
  const [x, y] = [half(x1 + x2), half(y1 + y2)];
  const where = isUpright
    ? text(x + 8, y + 4, says, { kind: "value" })
    : text(x, y - 5, says, { anchor: "middle", kind: "value" });
  const label = says === "" ? [] : [where];
  return [`<path d="M${at(x1)} ${at(y1)} L${at(x2)} ${at(y2)}" class="arrow"/>`, ...label];
}

/**
 * `boxes` by name: place, size, what stands in it. `arrows`: from, to, and what is written at it. `notes`: place, words, anchor.
 * @param {{ height: number, title: string, summary: string, boxes: Record<string, any>, arrows: string[][], notes?: any[] }}
 * given
 */
function flow({ height, title, summary, boxes, arrows, notes = [] }) {
  const placed = Object.fromEntries(Object.entries(boxes).map(([id, given]) => [id, { w: 150, h: 56, ...given }]));
  return picture(height, title, summary, [
    style,
    ...Object.values(placed).map((one) => box(one.x, one.y, one.w, one.h, one, one.kind)),
    ...arrows.flatMap(([from, to, says]) => arrow(placed[from], placed[to], says)),
    ...notes.map(([x, y, words, anchor = "middle"]) => text(x, y, words, { anchor, kind: "small" })),
  ]);
}

const templatePicture = () =>
  flow({
    height: 268,
    title: "A template makes many programs of one computation",
    summary:
      "Arguments and target give a graph and a space. The tuner chooses a config of the space, schedule applies it to the graph; what passes the checks is a program, which the farm builds and times.",
    boxes: {
      args: { x: 16, y: 120, w: 104, name: "args, target", says: "one task" },
      graph: { x: 176, y: 50, w: 150, name: "graph", says: "tensors, what is computed" },
      space: { x: 176, y: 190, w: 150, name: "space", says: "knobs and constraints" },
      tuner: { x: 390, y: 190, w: 104, name: "tuner", says: "chooses a config", kind: "store" },
      schedule: { x: 372, y: 50, w: 140, name: "schedule", says: "primitives, with the knobs' values" },
      program: { x: 572, y: 50, w: 132, name: "program", says: "checked, then built" },
      farm: { x: 572, y: 190, w: 132, name: "farm", says: "builds, checks, times", kind: "store" },
    },
    arrows: [
      ["args", "graph"],
      ["args", "space"],
      ["graph", "schedule"],
      ["space", "tuner"],
      ["tuner", "schedule", "config"],
      ["schedule", "program"],
      ["program", "farm"],
      ["farm", "tuner", "time"],
    ],
    notes: [[360, 262, "teal: what a template says; violet: what Warpfarm does with it"]],
  });

const kernelPicture = () =>
  flow({
    height: 306,
    title: "A kernel of one's own: a text, a spec, many builds",
    summary:
      "The spec names tunables, problem, arguments and launch of a text. Each config becomes macros and a launch. The farm builds it, compares its outputs with the reference and times it. The best config is a text with its macros.",
    boxes: {
      text: { x: 16, y: 50, w: 136, name: "kernel.cu", says: "text with macros" },
      spec: { x: 16, y: 140, w: 136, name: "kernel.yaml", says: "tunables, arguments, launch" },
      config: { x: 206, y: 95, w: 140, name: "config", says: "macros, grid, block" },
      reference: { x: 206, y: 224, w: 140, name: "reference", says: "kernel, task or file" },
      build: { x: 404, y: 95, w: 112, name: "builder", says: "NVRTC or nvcc", kind: "store" },
      run: { x: 574, y: 95, w: 130, name: "runner", says: "outputs, then times", kind: "store" },
      best: { x: 574, y: 224, w: 130, name: "best config", says: "text with its macros, or an export" },
    },
    arrows: [
      ["text", "config"],
      ["spec", "config"],
      ["config", "build"],
      ["build", "run", "cubin"],
      ["reference", "run", "agree?"],
      ["run", "best"],
    ],
  });

const suitePicture = () =>
  flow({
    height: 306,
    title: "A suite: many searches, one budget",
    summary:
      "Tasks, shapes and kinds of device give one search each. The scheduler gives the next candidate to the search that may gain most per second of device time. The logs hold all state; report, table and export read them.",
    boxes: {
      shapes: { x: 16, y: 50, w: 132, name: "shapes.csv", says: "shapes, counts" },
      plan: { x: 16, y: 144, w: 132, name: "suite.yaml", says: "tasks, budget" },
      searches: { x: 206, y: 50, w: 150, name: "searches", says: "for each task, shape, device; 48 are open" },
      scheduler: { x: 206, y: 144, w: 150, name: "scheduler", says: "most gain per second of device time", kind: "store" },
      farm: { x: 418, y: 50, w: 130, name: "farm", says: "any number of GPUs", kind: "store" },
      logs: { x: 418, y: 144, w: 130, name: "logs", says: "the only state" },
      report: { x: 598, y: 50, w: 106, name: "report", says: "portability" },
      table: { x: 598, y: 144, w: 106, name: "table", says: "k kernels for all shapes" },
      library: { x: 598, y: 238, w: 106, name: "export", says: "a library" },
    },
    arrows: [
      ["shapes", "searches"],
      ["plan", "searches"],
      ["searches", "farm", "programs"],
      ["scheduler", "searches", "turn"],
      ["farm", "logs", "results"],
      ["logs", "scheduler"],
      ["logs", "report"],
      ["logs", "table"],
      ["logs", "library"],
    ],
  });

/** A square matrix with a part of it marked. */
const matrix = (x, y, size, name, mark) =>
  [
    `<rect x="${x}" y="${y}" width="${size}" height="${size}" class="box"/>`,
    `<rect x="${x + mark.x}" y="${y + mark.y}" width="${mark.w}" height="${mark.h}" style="fill: var(--b); opacity: .55"/>`,
    ...(mark.inner
      ? [
          `<rect x="${x + mark.inner.x}" y="${y + mark.inner.y}" width="${mark.inner.w}" height="${mark.inner.h}" style="fill: var(--c)"/>`,
        ]
      : []),
    text(x + 8, y + 18, name, { kind: "name" }),
  ].join("\n");

/** Where the steps of docs/tutorial.md take operands from. */
function tutorialPicture() {
  const side = 100;
  const [left, levelHeight, lineHeight] = [392, 44, 16];
  /** @type {[string, string, string[]][]} */
  const levels = [
    ["global memory", "A, B and C", []],
    [
      "shared memory",
      "a chunk of A and of B, for a block of threads",
      [
        "2  cacheRead: once for a block",
        "4  vectorize: 16 bytes at once",
        "5  pipeline: chunks ahead, by cp.async",
        "7  copyBy: boxes, by the copy engine",
      ],
    ],
    [
      "registers",
      "operands, and sums (cacheWrite)",
      ["3  cacheRead: once for 4 x 4 products", "6  ldmatrix: eight rows at once"],
    ],
    ["multiply and add", "1: an element a thread; 2: 4 x 4 a thread", ["6  tensorize: 16 x 16 x 16 by a warp"]],
  ];
  let y = 44;
  const drawn = levels.flatMap(([name, says, steps], i) => {
    const lines = steps.map((words, n) => text(left + 30, y + 16 + n * lineHeight, words, { kind: "small" }));
    const from = y;
    if (i > 0) y += steps.length * lineHeight + 14;
    const arrowDown = i > 0 ? [`<path d="M${left + 14} ${from + 3} L${left + 14} ${y - 2}" class="arrow"/>`] : [];
    const drawnBox = box(left, y, 312, levelHeight, { name, says });
    y += levelHeight;
    return [...arrowDown, ...lines, drawnBox];
  });
  return picture(
    y + 16,
    "From memory to the multiplier: what each step changes",
    "A block of C needs rows of A and columns of B. Steps 2, 4, 5 and 7 change how chunks reach shared memory, steps 3 and 6 how they reach registers, steps 1, 2 and 6 who multiplies.",
    [
      style,
      matrix(170, 50, side, "B", { x: 56, y: 0, w: 28, h: side, inner: { x: 56, y: 30, w: 28, h: 14 } }),
      matrix(40, 180, side, "A", { x: 0, y: 56, w: side, h: 28, inner: { x: 30, y: 56, w: 14, h: 28 } }),
      matrix(170, 180, side, "C", { x: 56, y: 56, w: 28, h: 28 }),
      text(40, 304, "orange: what a block of C needs", { kind: "small" }),
      text(40, 320, "violet: a chunk of the reduction", { kind: "small" }),
      ...drawn,
    ],
  );
}

/** One trial, as messages between processes. */
function trialPicture() {
  const names = ["client", "tracker", "builder", "runner", "child process"];
  const columnOf = (name) => 70 + names.indexOf(name) * 145;
  const steps = [
    ["client", "client", "ask, check, program"],
    ["client", "tracker", "program, sequence"],
    ["tracker", "tracker", "store"],
    ["tracker", "client", "accepted"],
    ["tracker", "builder", "job, lease"],
    ["builder", "builder", "lower, compile"],
    ["builder", "tracker", "artifact, built"],
    ["tracker", "runner", "job, lease, epoch"],
    ["runner", "tracker", "fetch the artifact"],
    ["runner", "child process", "load, run, compare"],
    ["child process", "runner", "agrees; times"],
    ["runner", "tracker", "measured"],
    ["tracker", "tracker", "store, once"],
    ["tracker", "client", "result"],
    ["client", "client", "line of the log"],
    ["client", "tracker", "receipt"],
    ["tracker", "tracker", "record"],
    ["client", "client", "tell the tuner"],
  ];
  const [first, pitch] = [100, 27];
  const bottom = first + steps.length * pitch;
  const heads = names.map((name) =>
    box(columnOf(name) - 50, 40, 100, 30, { name, says: "" }, name === "tracker" ? "store" : "box"),
  );
  const lives = names.map((name) => `<path d="M${columnOf(name)} 70 L${columnOf(name)} ${bottom - 8}" class="axis"/>`);
  const messages = steps.map(([from, to, says], i) => {
    const y = first + i * pitch;
    const [x1, x2] = [columnOf(from), columnOf(to)];
    if (from === to)
      return [`<circle cx="${x1}" cy="${y}" r="4" style="fill: var(--c)"/>`, text(x1 + 9, y + 4, says, { kind: "value" })].join(
        "\n",
      );
    const toward = Math.sign(x2 - x1);
    return [
      `<path d="M${x1 + 2 * toward} ${y} L${x2 - 2 * toward} ${y}" class="arrow"/>`,
      text(half(x1 + x2), y - 7, says, { anchor: "middle", kind: "value" }),
    ].join("\n");
  });
  return picture(
    bottom + 8,
    "One trial",
    "Messages of one trial, from the client that asks its tuner to the record: submitted, built, leased, checked, timed, stored once and told.",
    [style, ...lives, ...heads, ...messages],
  );
}

export const flows = {
  template: templatePicture,
  "own-kernel": kernelPicture,
  suite: suitePicture,
  tutorial: tutorialPicture,
  trial: trialPicture,
};
