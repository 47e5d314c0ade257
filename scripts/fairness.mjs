/**
 * The table of docs/fairness.md, generated from test-support/cheats and bench/results/gpu-judged*.json: `node
 * scripts/fairness.mjs` writes it, `--check` ends with 1 when it is not what they say.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cheats, racy } from "../test-support/cheats/suite.mjs";

const page = new URL("../docs/fairness.md", import.meta.url);
const resultsOf = (name) => {
  const file = new URL(`../bench/results/${name}.json`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
};
const [judged, plain] = [resultsOf("gpu-judged"), resultsOf("gpu-judged-plain")];
const byName = (rows = []) => new Map(rows.map((row) => [row.name, row]));
const found = {
  judged: byName(judged?.figures.cheats),
  plain: byName(plain?.figures.cheats),
  others: byName(judged?.figures.others),
};
const outcome = (row) =>
  row === undefined ? "–" : row.stop === "PASSES" ? `**passes, ${row.us} us**${honestWords(row)}` : row.stop;
/** Without it nobody knows whether the cheat gained. */
const honestWords = ({ honest_us: honest }) => (honest === "" ? "" : ` (honest ${honest})`);
const other = (row) => (row === undefined ? "–" : row.passes ? "passes" : (row.why ?? "stopped"));

const rows = [...cheats, ...racy].map(({ name, kind, does, stoppedBy }) => {
  const cells = [
    kind,
    does,
    stoppedBy.join(" or "),
    outcome(found.plain.get(name)),
    outcome(found.judged.get(name)),
    other(found.others.get(name)),
  ];
  return `| ${cells.join(" | ")} |`;
});
const measured =
  judged === undefined
    ? "No run on a GPU is recorded yet."
    : `Measured on ${judged.device.name}, commit ${judged.commit}, ${judged.date.slice(0, 10)}.`;
// A trivial task is refused before any kernel of it is judged, and what the device did not finish was not judged either.
const honest = (judged?.figures.honest ?? []).filter(
  ({ stop }) => !["build", "device", "task", "not judged: in-out"].includes(stop),
);
const right = `Of ${honest.length} right kernels, drawn by seed, ${honest.filter(({ stop }) => stop !== "passes").length} were refused.`;
const figures = [`${cheats.length} cheats and ${racy.length} racy twins.`, measured, ...(honest.length > 0 ? [right] : [])].join(
  " ",
);
const head = [
  "| class | what it does | named defence | plain check | judged | other rules |",
  "| --- | --- | --- | --- | --- | --- |",
];
const text = readFileSync(page, "utf8");
const next = text.replace(
  /<!-- suite -->[\s\S]*<!-- \/suite -->/,
  `<!-- suite -->\n${figures}\n\n${[...head, ...rows].join("\n")}\n<!-- /suite -->`,
);
if (process.argv.includes("--check")) {
  if (next !== text) console.log("docs/fairness.md is not what the suite and the results say: node scripts/fairness.mjs");
  process.exitCode = next === text ? 0 : 1;
} else writeFileSync(page, next);
