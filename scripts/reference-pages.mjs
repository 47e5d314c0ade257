/**
 * docs/primitives.md, docs/passes.md and docs/rules.md, generated from the code: `npm run build && node
 * scripts/reference-pages.mjs` writes them, `--check` ends with 1 when they differ from the code.
 */
import { readFileSync } from "node:fs";
import * as compiler from "../compiler/dist/index.js";
import * as primitives from "../compiler/dist/schedule/primitives/index.js";
import { passNames } from "../compiler/dist/target/index.js";
import { filesOf, writeGenerated } from "./checks.mjs";
import { examples } from "./reference/examples.mjs";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const sourcesIn = (pattern) => filesOf([pattern]).filter((file) => !/\.(test|testing)\.ts$/.test(file));

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** The words of a comment without its marks. */
const wordsOf = (comment) =>
  comment
    .replace(/^\s*\/\*\*?|\*\/\s*$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .trim();
/** The text of a template literal, with each value as its name in angle brackets. */
const plain = (text) =>
  text
    .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "…")
    .replace(/\$\{[^}]*$/, "…")
    .replace(/\s+/g, " ");

/** The text of a call from its opening parenthesis on; strings and templates are skipped as a whole. */
function callAt(text, start) {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const quote = /["`]/.test(text[i]) && text[i];
    if (quote) for (i++; i < text.length && text[i] !== quote; i++) if (text[i] === "\\") i++;
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return text.slice(start, i + 1);
  }
  return text.slice(start);
}
const ruleName = /^(?:[a-z]\w*|PRIMITIVE)(?:\.\w+)+$/;

/**
 * Refusals in a file: calls whose first argument is a rule, `refuse("a.b", ..., \`words\`)`, and values of a name or property
 * `rule`; a helper `(rule: string, ...) => refuse(\`group.${rule}\`, ...)` is called with the rest. Words are the first text in
 * the call with a blank. `${primitive}` is the one that the file defines, or any.
 */
function refusalsOf(source) {
  const found = new Map();
  const add = (id, words) =>
    ruleName.test(id) && found.set(id, [...new Set([found.get(id), words])].filter(Boolean).join("; or "));
  const [, own = "PRIMITIVE"] = /definePrimitive\(\{\s*name: "(\w+)"/.exec(source) ?? [];
  const text = source
    .replaceAll(/\$\{primitive\}/g, own)
    .replaceAll(/`\$\{(?:primitive\.name|name|word)\}\.(?=[\w$])/g, `\`${own}.`);
  const helpers = new Map(
    [...text.matchAll(/\b(\w+) = \(rule: string[^=]*=>[^`;]*`(\w+)\.\$\{rule\}`/g)].map(([, name, group]) => [name, group]),
  );
  const names = ["refuse", "refuseAt", "fail", "fault", "rule", "DeviceError", "InterpError", ...helpers.keys()].join("|");
  for (const call of text.matchAll(new RegExp(`\\b(?:${names})(?=\\(\\s*["\`]([^"\`]*)["\`])`, "g"))) {
    const [, ...strings] = [...callAt(text, call.index + call[0].length).matchAll(/(["`])((?:(?!\1)[\s\S])*)\1/g)];
    const isRule = call[0] === "rule";
    const group = call[1].includes(".") ? undefined : helpers.get(call[0]);
    add(
      group ? `${group}.${call[1]}` : call[1],
      isRule ? "" : plain(strings.map(([, , words]) => words).find((words) => words.includes(" ")) ?? ""),
    );
  }
  for (const [, value] of text.matchAll(/\b\w*[rR]ule(?::|(?:: \w+)? =)\s*([^;]*?["`][^;]*?)(?=[,;})])/g))
    for (const [, , id] of value.matchAll(/(["`])([^"`]*)\1/g)) add(id, "");
  return found;
}

const { add, at: element, compute, createSchedule, graphOf, infer, mul, placeholder, printFunc, reduceAxis, sum } = compiler;
const computations = {
  product() {
    const [A, B] = [placeholder("A", [64, 64]), placeholder("B", [64, 64])];
    const k = reduceAxis("k", 64);
    const C = compute(
      "C",
      [
        ["i", 64],
        ["j", 64],
      ],
      (i, j) => sum(mul(element(A, i, k.loopVar), element(B, k.loopVar, j)), [k]),
    );
    const schedule = createSchedule(graphOf([A, B], [C]));
    return { schedule, A, C: schedule.stage("C") };
  },
  chain() {
    const x = placeholder("x", [1024]);
    const mid = compute("mid", [["i", 1024]], (i) => add(element(x, i), 1));
    const out = compute("out", [["i", 1024]], (i) => mul(element(mid, i), 2));
    const schedule = createSchedule(graphOf([x], [out]));
    return { schedule, mid: schedule.stage("mid"), out: schedule.stage("out") };
  },
};

/** The loop nest after an example's statements. */
function nestOf(name, { of, code }) {
  const known = { ...computations[of](), indexMap: compiler.indexMap };
  new Function(...Object.keys(known), code)(...Object.values(known));
  const inferred = infer(known.schedule.state);
  if (!inferred.ok) throw new Error(`the example of ${name}: ${inferred.error.message}`);
  return printFunc(inferred.value.func()).trimEnd();
}

function primitivesPage() {
  const parts = Object.values(primitives).map(({ name, args, returns, doc }) => {
    const file = `compiler/src/schedule/primitives/${kebab(name)}.ts`;
    const text = read(file);
    const [, comment = ""] = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*export const /.exec(text) ?? [];
    const refusals = [...refusalsOf(text)];
    if (!(name in examples)) throw new Error(`primitive ${name} has no example; add one to scripts/reference/examples.mjs`);
    const example = examples[name];
    return [
      `## ${name}`,
      `\`${name}(${args.map((each) => each.name).join(", ")})\`${returns === "nothing" ? "" : `, returns ${returns}`}`,
      `\`\`\`\n${doc.replaceAll("   ->   ", "\n->\n").replace(/ {6,}(.*)$/, "\n($1)")}\n\`\`\``,
      wordsOf(comment),
      args.map((each) => `- \`${each.name}\`: ${each.type.allowed}`).join("\n"),
      example ? `\`\`\`ts\n${example.code}\n\`\`\`\n\ngives\n\n\`\`\`\n${nestOf(name, example)}\n\`\`\`` : "",
      refusals.length > 0
        ? `Refused:\n\n${refusals.map(([id, words]) => `- \`${id}\`${words ? `: ${words}` : ""}`).join("\n")}`
        : "",
    ]
      .filter(Boolean)
      .join("\n\n");
  });
  return `# Schedule primitives

This page lists the schedule primitives for authors of templates. \`node scripts/reference-pages.mjs\` generates it from
\`compiler/src/schedule/primitives\`. A primitive is a method of the schedule and a step of its trace. A stage computes one tensor;
a loop belongs to one stage. A refused step changes nothing. [rules.md](rules.md) has the rules that only region inference can
decide.

The examples schedule \`product\`, C[i, j] = sum over k of A[i, k] B[k, j] of 64 x 64 x 64, or \`chain\`, out[i] = 2 mid[i] with
mid[i] = x[i] + 1.

${parts.join("\n\n")}
`;
}

function passesPage() {
  const byName = new Map();
  for (const file of sourcesIn("compiler/src/lower/passes/*.ts")) {
    const text = read(file);
    const [, head = ""] = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)/.exec(text) ?? [];
    for (const [, from, to, name] of text.matchAll(/definePass(?:<"(\w+)", "(\w+)">)?\(\s*"([\w-]+)"/g)) {
      const [, a, b] = /Pass<"(\w+)", "(\w+)">/.exec(text) ?? [];
      byName.set(name, { file, words: wordsOf(head), from: from ?? a, to: to ?? b });
    }
  }
  /** @type {[string, readonly string[]][]} */
  const pipelines = ["cpu/x86-64-v3", "cuda/sm_90a"].map((name) => [name, passNames(compiler.parseTarget(name))]);
  const sections = [...new Set(pipelines.flatMap(([, names]) => names))].map((name) => {
    const pass = byName.get(name);
    if (!pass) throw new Error(`pass ${name} is defined in no file of compiler/src/lower/passes`);
    const { file, words, from, to } = pass;
    const dialects = from === to ? `on ${from}` : `${from} to ${to}`;
    return `## ${name}\n\n${dialects}; \`${file}\`\n\n\`\`\`\n${words}\n\`\`\``;
  });
  return `# Lowering passes

This page describes the lowering passes for those who read generated code or change the compiler.
\`node scripts/reference-pages.mjs\` generates it from \`compiler/src/lower/passes\`. Region inference makes a loop nest of the
dialect *scheduled* from a schedule. The passes, each a pure function, take it to *lowered* (buffers of one dimension) and
*device* (kernels). \`warpfarm lower TASK --index N --until PRIMITIVE\` stops after the last step of a primitive;
\`WARPFARM_DUMP=dir\` writes the nest after each pass.

${pipelines.map(([name, names]) => `For ${name}: ${names.join(", ")}.`).join("\n\n")}

${sections.join("\n\n")}
`;
}

function rulesPage() {
  const groups = new Map();
  for (const folder of ["compiler", "templates", "client", "builder", "runner", "tracker", "worker", "common"])
    for (const file of sourcesIn(`${folder}/src/*.ts`))
      for (const [id, words] of refusalsOf(read(file))) {
        const group = id.slice(0, id.indexOf("."));
        const there = groups.get(group) ?? new Map();
        const known = there.get(id);
        there.set(id, { words: known?.words || words, files: [...(known?.files ?? []), file] });
        groups.set(group, there);
      }
  const sections = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, ids]) => {
      const rows = [...ids]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, { words, files }]) => `| \`${id}\` | ${words.replaceAll("|", "\\\\|")} | \`${files[0]}\` |`);
      return `## ${group}\n\n| rule | message | where |\n| --- | --- | --- |\n${rows.join("\n")}`;
    });
  return `# Rules

This page lists the rules by which Warpfarm refuses a step, a program or a call, for those who look up a refusal.
\`node scripts/reference-pages.mjs\` generates it from the code. A refusal has a rule and a message; programs decide by the rule,
never by the message. "…" stands for values in the message, PRIMITIVE for the name of the step that is refused. Steps that do what
split, reorder or fuse do, such as tile, have their rules too. Where the message is missing, the file composes it from parts.

${sections.join("\n\n")}
`;
}

const files = new Map([
  ["docs/primitives.md", primitivesPage()],
  ["docs/passes.md", passesPage()],
  ["docs/rules.md", rulesPage()],
]);
writeGenerated(files, { source: "the sources", command: "npm run build && node scripts/reference-pages.mjs" });
