/**
 * A file of source or tests has at most 400 lines, a function at most 80 from its first to its last: `node
 * scripts/file-lengths.mjs` names those that are longer, and ends with 1. What `describe` is given, and what calls it, lists
 * tests and is no function in this sense. The lists of exceptions only shrink: what is short enough by now, or gone, has no place
 * there.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";

const most = { file: 400, function: 80 };
const exceptions = {
  file: ["compiler/test/planted/planted.test.ts"],
  /** Files with functions that are too long. */
  function: [
    "test-support/programs/tensor-cores.ts",
    "deploy/test/faults/campaign.ts",
    "deploy/test/survival/campaign.ts",
    "tracker/test/locks.test.ts",
    "web/page/parts/chart.tsx",
    "web/page/parts/grid.tsx",
    "web/page/parts/parallel.tsx",
    "web/page/views/queue.tsx",
    "web/page/views/runs.tsx",
  ],
};

const listed = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mts", "*.mjs", "*.js"], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
});
const files = listed
  .trim()
  .split("\n")
  .filter((file) => !file.startsWith("proto/src/gen/") && existsSync(file))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

/** `describe`, of `describe(…)`, `describe.skipIf(…)(…)` and `describe.each(…)(…)`. */
function calledName(callee) {
  if (callee.type === "Identifier") return callee.name;
  return calledName(callee.type === "MemberExpression" ? callee.object : (callee.callee ?? { type: "Identifier" }));
}

/** First and last line of each function that is too long. */
function longFunctions({ file, text }) {
  /** @type {Record<"functions" | "lists", any[]>} */
  const { functions, lists } = { functions: [], lists: [] };
  const enter = ({ start, end }) => {
    const [from, lines] = [text.slice(0, start), text.slice(start, end)].map((part) => part.split("\n").length);
    if (lines > most.function) functions.push({ start, end, from, lines });
  };
  const visitor = new Visitor({
    CallExpression({ start, callee, arguments: given }) {
      if (calledName(callee) === "describe") lists.push(start, ...given.map((each) => each.start));
    },
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
  });
  visitor.visit(parseSync(file, text).program);
  return functions.filter(({ start, end }) => !lists.some((at) => start <= at && at < end));
}

const long = files
  .map(({ file, text }) => ({ file, at: file, lines: text.split("\n").length - 1 }))
  .filter(({ lines }) => lines > most.file);
const functions = files
  .filter(({ text }) => text.split("\n").length > most.function)
  .flatMap((one) => longFunctions(one).map(({ from, lines }) => ({ file: one.file, at: `${one.file}:${from}`, lines })));
const faults = [];
const notExcepted = (kind, found, words) => {
  for (const { file, at, lines } of found)
    if (!exceptions[kind].includes(file)) faults.push(`${at}: ${lines} lines, at most ${most[kind]}; ${words}`);
  for (const file of exceptions[kind])
    if (!found.some((each) => each.file === file)) faults.push(`${file}: no longer an exception; take it off the list`);
};
notExcepted("file", long, "split it by subject");
notExcepted("function", functions, "give its parts names");
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
