/** A suite's report as Markdown, with a plot as SVG beside it. */
import { configWords } from "@warpfarm/common";
import { broughtWords, valuesOf } from "@warpfarm/records/suites";
import { dispatchJson } from "./dispatch-text.ts";
import { apartWords, type KindReport, type Mean, type SuiteReport, type TaskReport } from "./report.ts";

export const timeText = (seconds: number): string =>
  seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(4)} us` : `${(seconds * 1e3).toPrecision(4)} ms`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const times = (ratio: number): string => `${ratio.toFixed(2)}x`;
const over = (task: TaskReport, other: number | undefined): string =>
  task.best && other !== undefined ? times(other / task.best.seconds) : "";
const cell = (text: string): string => text.replaceAll("|", "\\|");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const mean = (name: string, found: Mean | undefined): string =>
  found ? `${name} ${times(found.mean)} (geometric mean of ${found.count}, least ${times(found.least)})` : "";

export const kindWords = (kind: KindReport): string =>
  [
    `${kind.tasks} tasks, ${kind.deviceSeconds.toFixed(1)} s of device time`,
    mean("of the default schedule", kind.overDefault),
    mean("of the record before", kind.overPrevious),
    mean("of the library", kind.overLibrary),
  ]
    .filter((part) => part !== "")
    .join("; ");

/** The share over device time, and a line for each source of knowledge. Empty before anything was timed. */
export function courseWords({ shareOver: over, brought, tasks }: KindReport): string {
  if (over.length === 0) return "";
  const steps = over.map(({ seconds, share }) => `${seconds} s: ${percent(share)}`).join(", ");
  const lines = brought.map((each) => `  ${broughtWords(each, tasks)}\n`);
  return `share of the best after device time of each task, mean: ${steps}\nwhat was known before, and what it brought:\n${lines.join("")}`;
}

/**
 * The time of the model whose kernels the tasks are: each task's best time as often as its count says; beside it that of the
 * library's operators, over the tasks whose times of the library the suite has.
 */
export function modelWords({ kinds, tasks }: SuiteReport): string {
  return kinds
    .map(({ key, weightedSeconds, untimed }) => {
      const own = tasks.filter((task) => task.key === key && task.best);
      const kernels = own.reduce((n, { weight }) => n + weight, 0);
      const both = own.filter(({ librarySeconds }) => librarySeconds !== undefined);
      const sumOf = (seconds: (task: TaskReport) => number | undefined) =>
        both.reduce((n, task) => n + task.weight * (seconds(task) ?? 0), 0);
      const [ours, theirs] = [sumOf(({ best }) => best?.seconds), sumOf(({ librarySeconds }) => librarySeconds)];
      const which =
        both.length < own.length ? ` for ${both.length} of ${own.length} tasks, where ours take ${timeText(ours)}` : "";
      const library =
        both.length === 0 ? "" : `; the library's operators take ${timeText(theirs)}${which}: ${times(theirs / ours)}`;
      const missing = untimed > 0 ? `, without the ${untimed} tasks that have no time` : "";
      return `the model's time on ${key}: ${timeText(weightedSeconds)}, the sum of ${kernels} kernels${missing}${library}`;
    })
    .join("\n");
}

export const bestWords = ({ best }: TaskReport): string =>
  best
    ? `${timeText(best.seconds)} [${timeText(best.low)}, ${timeText(best.high)}]${best.tied.length > 0 ? `, tied with ${best.tied.length} more` : ""}`
    : "none";

export function markdownOf(report: SuiteReport, plot: string | undefined): string {
  const sections = report.kinds.map((kind) => {
    const tasks = report.tasks.filter(({ key }) => key === kind.key);
    const rows = tasks.map((task) => [
      task.title,
      String(task.weight),
      bestWords(task),
      over(task, task.defaultSeconds),
      over(task, task.previousSeconds),
      over(task, task.librarySeconds),
      `${task.trials}${task.failures > 0 ? `, ${task.failures} failed` : ""}`,
      `${task.deviceSeconds.toFixed(1)} s`,
      task.ended ?? "not ended",
    ]);
    const head = [
      "task",
      "weight",
      "best, 95 % interval",
      "of default",
      "of record before",
      "of library",
      "trials",
      "device time",
      "ended",
    ];
    const share = table(
      ["after k results", ...kind.share.map(({ k }) => String(k))],
      [
        ["share of best, mean", ...kind.share.map((at) => percent(at.share))],
        ["worst", ...kind.share.map((at) => percent(at.worst))],
      ],
    );
    return `## ${kind.key}\n\n${kindWords(kind)}.\n\n${table(head, rows)}\n\n${kind.share.length === 0 ? "" : `${share}\n\n${courseText(kind)}`}`;
  });
  const head = `# Suite ${report.suite}\n\n${report.tasks.length} tasks, ${report.trials} trials, ${report.deviceSeconds.toFixed(1)} s of device time in ${report.wallSeconds.toFixed(0)} s.\n`;
  const picture = plot === undefined ? "" : `\n![best time over the default schedule](${plot})\n`;
  const model = `## The model\n\n${modelWords(report)}\n`;
  return [`${head}${picture}`, leftText(report), ...sections, portabilityText(report), tablesText(report), model]
    .filter((text) => text !== "")
    .join("\n");
}

const courseText = ({ shareOver: over, brought, tasks }: KindReport): string =>
  `${table(
    ["after device time of each task", ...over.map(({ seconds }) => `${seconds} s`)],
    [
      ["share of best, mean", ...over.map(({ share }) => percent(share))],
      ["worst", ...over.map(({ worst }) => percent(worst))],
    ],
  )}\n\nWhat was known before, and what it brought:\n\n${brought.map((each) => `- ${broughtWords(each, tasks)}\n`).join("")}`;

const leftText = ({ left }: SuiteReport): string =>
  left.length === 0
    ? ""
    : `Left out, because nothing of their task takes them:\n\n${left.map((words) => `- ${words}\n`).join("")}`;

function portabilityText(report: SuiteReport): string {
  const { portability } = report;
  const apart = apartWords(report);
  if (portability.length === 0) return apart === "" ? "" : `## Portability\n\n${apart}\n`;
  const parts = portability.map(({ title, keys, loss, common }) => {
    const words = (share: number | null | undefined) =>
      share === null ? "does not run" : share === undefined ? "not measured" : percent(share);
    const rows = keys.map((key, from) => [key, ...(loss[from] ?? []).map(words)]);
    const one = common
      ? `One config for all: ${configWords(valuesOf(common.config))}; it loses ${percent(common.worstLoss)} at worst.`
      : "No config was measured on all of them.";
    return `### ${title}\n\n${table(["winner of, on", ...keys], rows)}\n\n${one}\n`;
  });
  return `## Portability\n\nHow much slower the winner of one kind of device is on another than that one's own.${apart === "" ? "" : ` ${apart}`}\n\n${parts.join("\n")}`;
}

function tablesText({ tables }: SuiteReport): string {
  if (tables.length === 0) return "";
  const parts = tables.map((found) => {
    const { kernels, shapes, mean_regret, worst_regret, unmeasured_pairs } = dispatchJson(found);
    const open =
      unmeasured_pairs > 0
        ? ` ${unmeasured_pairs} pairs of a winner and a shape were not measured (warpfarm suite table --measure).`
        : "";
    return `- ${found.task} on ${found.key}: ${kernels.length} kernels serve ${shapes.length} shapes with ${percent(mean_regret)} mean regret, ${percent(worst_regret)} at worst.${open}`;
  });
  return `## Dispatch tables\n\n${parts.join("\n")}\n`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Bars of the speed-up over the default schedule, on a logarithmic scale, a colour for each kind of device. */
export function svgOf({ suite, tasks, kinds }: SuiteReport): string {
  const bars = tasks.flatMap((task) =>
    task.best && task.defaultSeconds !== undefined ? [{ task, ratio: task.defaultSeconds / task.best.seconds }] : [],
  );
  const [left, width, row] = [260, 420, 18];
  const most = Math.max(2, ...bars.map(({ ratio }) => ratio));
  const least = Math.min(1, ...bars.map(({ ratio }) => ratio));
  const x = (ratio: number): number => left + (width * Math.log(ratio / least)) / Math.log(most / least);
  const colours = ["#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626", "#475569"];
  const height = 60 + bars.length * row + kinds.length * row;
  const drawn = bars.map(({ task, ratio }, i) => {
    const y = 36 + i * row;
    const colour = colours[kinds.findIndex(({ key }) => key === task.key) % colours.length];
    const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
    return `<text x="${left - 6}" y="${y + 11}" text-anchor="end">${escaped(task.title.slice(0, 40))}</text><rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(1, to - from).toFixed(1)}" height="${row - 5}" fill="${colour}"><title>${escaped(`${task.title} on ${task.key}: ${times(ratio)}`)}</title></rect><text x="${(to + 4).toFixed(1)}" y="${y + 11}">${times(ratio)}</text>`;
  });
  const legend = kinds.map(({ key }, i) => {
    const y = 46 + (bars.length + i) * row;
    return `<rect x="${left}" y="${y}" width="11" height="11" fill="${colours[i % colours.length]}"/><text x="${left + 16}" y="${y + 10}">${escaped(key)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 70}" height="${height}" font-family="sans-serif" font-size="11">
<title>${escaped(suite)}: default schedule's time over the best</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="10" y="20" font-size="14">${escaped(suite)}: default schedule's time over the best</text>
<line x1="${x(1).toFixed(1)}" y1="30" x2="${x(1).toFixed(1)}" y2="${40 + bars.length * row}" stroke="#94a3b8"/>
${[...drawn, ...legend].join("\n")}
</svg>
`;
}
