/**
 * A file of source or tests has at most 400 lines, a function at most 80 from its first to its last, a class at most 15 fields:
 * `node scripts/file-lengths.mjs` names those that have more, and ends with 1. What `describe` is given, and what calls it, lists
 * tests and is no function in this sense. The lists of exceptions only shrink: what is short enough by now, or gone, has no place
 * there.
 */
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";
import { filesOf, lineAt, tell } from "./checks.mjs";

const most = { file: 400, function: 80, class: 15 };
const exceptions = {
  file: [],
  /** Files with functions that are too long. */
  function: [],
  /** Scripted parties: each field is one that tests set or read. */
  class: ["runner/src/device/cuda/scripted-cuda.testing.ts", "test-support/farm/scripted.ts"],
};

const files = filesOf(["*.ts", "*.tsx", "*.mts", "*.mjs", "*.js"]).map((file) => ({ file, text: readFileSync(file, "utf8") }));

/** The name `describe` of `describe(…)`, `describe.skipIf(…)(…)` and `describe.each(…)(…)`. */
function calledName(callee) {
  if (callee.type === "Identifier") return callee.name;
  return calledName(callee.type === "MemberExpression" ? callee.object : (callee.callee ?? { type: "Identifier" }));
}

/** A field declared in the body of a class, or by a parameter of its constructor. */
const fieldsOf = (member) =>
  member.type === "PropertyDefinition"
    ? Number(!member.static)
    : (member.value?.params ?? []).filter(({ type }) => type === "TSParameterProperty").length;

/** Functions with too many lines, and classes with too many fields. */
function tooLong({ file, text }) {
  /** @type {Record<"functions" | "classes" | "lists", any[]>} */
  const { functions, classes, lists } = { functions: [], classes: [], lists: [] };
  const enter = ({ start, end }) => {
    const lines = text.slice(start, end).split("\n").length;
    if (lines > most.function) functions.push({ start, end, file, at: `${file}:${lineAt(text, start)}`, size: lines });
  };
  const visitor = new Visitor({
    CallExpression({ start, callee, arguments: given }) {
      if (calledName(callee) === "describe") lists.push(start, ...given.map((each) => each.start));
    },
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    ClassBody({ start, body }) {
      const size = body.reduce((sum, member) => sum + fieldsOf(member), 0);
      if (size > most.class) classes.push({ file, at: `${file}:${lineAt(text, start)}`, size });
    },
  });
  visitor.visit(parseSync(file, text).program);
  return { functions: functions.filter(({ start, end }) => !lists.some((at) => start <= at && at < end)), classes };
}

const long = files
  .map(({ file, text }) => ({ file, at: file, size: text.split("\n").length - 1 }))
  .filter(({ size }) => size > most.file);
const found = files.map(tooLong);
const faults = [];
const notExcepted = (kind, measured, unit, words) => {
  for (const { file, at, size } of measured)
    if (!exceptions[kind].includes(file)) faults.push(`${at}: ${size} ${unit}, at most ${most[kind]}; ${words}`);
  for (const file of exceptions[kind])
    if (!measured.some((each) => each.file === file)) faults.push(`${file}: no longer an exception; take it off the list`);
};
notExcepted("file", long, "lines", "split it by subject");
notExcepted(
  "function",
  found.flatMap(({ functions }) => functions),
  "lines",
  "give its parts names",
);
notExcepted(
  "class",
  found.flatMap(({ classes }) => classes),
  "fields",
  "make a class of those that go together",
);
tell(faults);
