/**
 * Templates in a user's own file, outside the repository: every listing of docs/writing-a-template.md in order, as a reader would
 * run them, with the real command line; and what is said of files that are wrong.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { quickTune } from "./faults/campaign.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import { Place, start } from "./warpfarm-process.ts";

const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
const shortCalls = fileURLToPath(new URL("./short-user-calls.mjs", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Listing {
  readonly language: string;
  readonly text: string;
}
const listings: readonly Listing[] = [
  ...read("docs/writing-a-template.md").matchAll(/^```(?!mermaid)(\w+)\n([\s\S]*?)^```$/gm),
].map(([, language = "", text = ""]) => ({ language, text }));

/** Words of a command line, single quotes as the shell takes them. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** What tunes goes to this farm: one of its own takes four seconds of a processor, and pack.test.ts has one. */
const farm = new ProcessFarm();
beforeAll(async () => {
  if (has("cc")) await farm.start();
}, 300_000);
afterAll(() => farm[Symbol.asyncDispose]());

function place(): Place {
  const made = new Place(farm.address === "" ? {} : { WARPFARM_TRACKER: farm.address });
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}

test("every listing of docs/writing-a-template.md runs, and prints what stands there", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  const here = place();
  let said: string[] = [];
  const counts = { ts: 0, sh: 0, text: 0 };
  for (const { language, text } of listings) {
    counts[language as keyof typeof counts]++;
    if (language === "ts") writeFileSync(here.path(/^\/\/ (\S+)\n/.exec(text)?.[1] ?? ""), text);
    else if (language === "text") expect(said.shift()).toBe(text);
    else {
      said = [];
      for (const line of text.trimEnd().split("\n")) {
        const [npx, warpfarm, ...args] = words(line);
        expect([npx, warpfarm]).toEqual(["npx", "warpfarm"]);
        // Kernels are timed for as short a time as may be; nothing here rests on how fast they are.
        const { code, stdout, stderr } = await command(here, args[0] === "tune" ? [...args, ...quickTune] : args);
        expect(code, `${line}\n${stderr}`).toBe(0);
        said.push(stdout);
      }
    }
  }
  expect(counts).toMatchObject({ ts: 5, sh: 7, text: 1 });
  expect(readFileSync(here.path("dense.jsonl"), "utf8").match(/"sequence":/g)).toHaveLength(4);
  const norms = readFileSync(here.path("layer-norm.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"sequence":'));
  // Every config of it is right, and is called so.
  expect(norms.map((line) => JSON.parse(line).result[1])).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await command(here, ["best", "dense.jsonl", "--emit", "c"])).toMatchObject({
    code: 2,
    stderr:
      "warpfarm best: the log is of dense_relu, which is not a built-in task; give the file of your template or kernel with --task\n",
  });
});

test("the example is the page's last version of its template", () => {
  const body = (text: string) => text.slice(text.indexOf("import {"));
  const last = listings.filter(({ language, text }) => language === "ts" && text.startsWith("// my-template.ts")).at(-1);
  expect(body(read("examples/dense-relu.ts"))).toBe(body(last?.text ?? ""));
});

describe("a file that is wrong", () => {
  const head = 'import { defineTemplate, whole } from "warpfarm";\n';
  const rest = 'name: "mine", summary: "s", targets: ["cpu"], args: { n: whole(4) }, space: () => ({}), schedule: () => {}';
  const files: readonly (readonly [string, string, string])[] = [
    ["syntax.ts", "export const a = 1;\nlet x = ;\n", 'Unexpected ";" (syntax.ts line 2, column 9)'],
    [
      "none.ts",
      "export const a = 1;\n",
      "it exports only a; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
    ],
    ["empty.js", "\n", "it exports nothing; export what defineTemplate of warpfarm returns, or by default what graphOf returns"],
    [
      "throws.ts",
      "const a: { b?: { c: 1 } } = {};\n\nexport const d = a.b.c;\n",
      "TypeError: Cannot read properties of undefined (reading 'c') (throws.ts line 3)",
    ],
    [
      "argument.ts",
      'import { graphOf, matmul, placeholder } from "warpfarm";\nconst a = placeholder("a", [4, 4]);\nexport default graphOf([a], [matmul(a)]);\n',
      "TypeError: Cannot read properties of undefined (reading 'shape') (argument.ts line 3); a function called there takes arguments of other types, which an editor or tsc shows",
    ],
    [
      "axes.ts",
      'import { at, compute, graphOf, placeholder, reduceAxis, sum } from "warpfarm";\nconst a = placeholder("a", [4]);\nconst k = reduceAxis("k", 4);\nexport default graphOf([a], [compute("s", [["i", 1]], () => sum(at(a, k.loopVar), k))]);\n',
      'the sum of a reduction is over a list of axes, such as [reduceAxis("k", 64)] (axes.ts line 4)',
    ],
    [
      "outputs.ts",
      'import { graphOf, placeholder, relu } from "warpfarm";\nexport default graphOf([relu(placeholder("a", [4]))]);\n',
      "graphOf takes a list of inputs, and then a list of outputs (outputs.ts line 2)",
    ],
    [
      "part.mjs",
      `${head}\nexport const t = defineTemplate({ ${rest} });\n`,
      "defineTemplate of mine: graph is missing; it is a function (part.mjs line 3)",
    ],
    [
      "field.mjs",
      `${head}export const t = defineTemplate({ ${rest}, graph: () => 0, schedul: () => 0 });\n`,
      'defineTemplate of mine: a definition has no field "schedul" (did you mean schedule?); it takes name, summary, args, graph, space, schedule, scheduled, published, outline, starts, aliases, targets, check, reference, counted, version (field.mjs line 2)',
    ],
    [
      "option.ts",
      'import { convolution, placeholder } from "warpfarm";\nconvolution(placeholder("x", [1, 8, 8, 8]), placeholder("w", [8, 8, 3, 3]), { strides: 2 });\n',
      'convolution has no option "strides" (did you mean stride?); it takes stride, dilation, padding, groups, name, outDtype, channelsLast, padName, border (option.ts line 2)',
    ],
    [
      "target.mjs",
      `${head}export const t = defineTemplate({ ${rest}, graph: () => 0, targets: ["tpu"] });\n`,
      'defineTemplate of mine: targets is ["tpu"]; it is a list of cpu and cuda, or of {kind, from?, to?, features?} with one of them as the kind (target.mjs line 2)',
    ],
    [
      "graph.ts",
      `${head}export const t = defineTemplate({ ${rest},\n  graph: () => undefinedName as never });\n`,
      "ReferenceError: undefinedName is not defined (graph.ts line 3)",
    ],
    [
      "await.ts",
      "export const a = 1;\nawait a;\n",
      "await is for functions, not for the top level of a template file; readFileSync reads without it (await.ts line 2, column 1)",
    ],
    [
      "strict.mts",
      "(globalThis as { a?: 1 }).a = 1;\nundeclared = 1;\n",
      "ReferenceError: undeclared is not defined (strict.mts line 2)",
    ],
    [
      "where.ts",
      'import { readFileSync } from "node:fs";\nthrow new Error(readFileSync(new URL("where.ts", import.meta.url), "utf8").slice(0, 9));\n',
      "Error: import {  (where.ts line 2)",
    ],
    [
      "long.ts",
      `${head}import { exactly } from "@warpfarm/templates";\nexport const t = defineTemplate({ ${rest},\n  graph: () => exactly(2, [1, 2, 3]) as never });\n`,
      "its graph and space: exactly(2, ...) was given a list of 3 (long.ts line 4)",
    ],
    [
      "package.ts",
      'import { x } from "no-such-package";\nx();\n',
      'Could not resolve "no-such-package" (package.ts line 1, column 19)',
    ],
    [
      "private.ts",
      'import * as t from "@warpfarm/tracker";\nexport const a = t;\n',
      "@warpfarm/tracker is not for templates; they import from warpfarm (private.ts line 1, column 20)",
    ],
    [
      "two.ts",
      `${head}const t = (name: string) => defineTemplate({ ${rest}, graph: () => 0 as never, name });\nexport const a = t("a"), b = t("b");\n`,
      "it exports 2 templates, a, b; make one the default export",
    ],
    [
      "taken.ts",
      `${head}export const t = defineTemplate({ ${rest}, graph: () => 0 as never, name: "matmul_derived" });\n`,
      "its template is named matmul_derived, as one that comes with Warpfarm; give it another name",
    ],
  ];
  /** One process for all: what loadTemplate and createTask say of each. */
  const script = `
    import { loadTemplate } from "@warpfarm/client";
    import { createTask } from "@warpfarm/templates";
    const said = {};
    for (const path of process.argv.slice(1)) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      try { createTask(await loadTemplate(path, name), {}, "cpu/x86-64-v3"); said[name] = "taken"; }
      catch (error) { said[name] = error.code + " " + error.message; }
    }
    console.log(JSON.stringify(said));`;

  test("is refused in one sentence that names it, and the line", () => {
    const here = place();
    for (const [name, text] of files) writeFileSync(here.path(name), text);
    mkdirSync(here.path("folder.ts"));
    const paths = [...files.map(([name]) => name), "folder.ts", "absent.ts"].map((name) => here.path(name));
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script, ...paths], { cwd: root, encoding: "utf8" });
    const expected = [
      ...files,
      ["folder.ts", "", "it is not a file"],
      ["absent.ts", "", "there is no such file or folder"],
    ] as const;
    expect(JSON.parse(said)).toEqual(
      Object.fromEntries(expected.map(([name, , sentence]) => [name, `INVALID_ARGUMENT template file ${name}: ${sentence}`])),
    );
  });
});

describe("an endless loop", () => {
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const;
  const example = read("examples/dense-relu.ts");
  const loop = 'console.error("in the loop"); for (;;);';
  const inSchedule = (when: string) =>
    `import { readFileSync } from "node:fs";\n${example.replace("const lanes = 8;", `$& if (${when}) { ${loop} }`)}`;
  const looping = (here: Place, text: string, args: readonly string[]) => {
    expect(text).toContain(loop);
    writeFileSync(here.path("loops.ts"), text);
    return start(here, args, { node: ["--import", shortCalls] });
  };
  const lower = ["lower", "./loops.ts", "--index", "7"];
  const others = "part of the campaign: a loop in the schedule ends by the same code";

  test.for(some(signals, 0))(
    "in a schedule, after some trials: %s ends the run with its log whole and the way to go on",
    {
      timeout: 300_000,
    },
    async ([signal, exitCode], ctx) => {
      needs(ctx, "cc");
      const here = place();
      const log = here.path("loops.jsonl");
      const lines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []);
      const trials = () => lines().filter((line) => line.includes('"sequence"')).length;
      const full = `readFileSync("loops.jsonl", "utf8").split("\\n").length > 8`;
      const args = ["tune", "./loops.ts", "--tuner", "random", "--trials", "40", "--in-flight", "2", "--log", "loops.jsonl"];
      const tuning = looping(here, inSchedule(full), [...args, ...quickTune]);
      await until(() => tuning.stderr().includes("in the loop"), "the loop", 120_000);
      tuning.kill(signal);
      const { code, stderr } = await tuning.finished;
      expect(code, stderr).toBe(exitCode);
      expect(stderr).toContain(`${trials()} trials are safe in loops.jsonl; continue with:`);
      expect(stderr.endsWith(`\nwarpfarm tune: stopped by ${signal}\n`), stderr).toBe(true);
      expect(trials()).toBeGreaterThanOrEqual(5);
      expect(lines().at(-1)).toBe("");
    },
  );
  test("in a schedule ends by itself, and says where it was", async () => {
    const { code, stderr } = await looping(place(), inSchedule("true"), lower).finished;
    expect([code, stderr.replaceAll("in the loop\n", "")]).toEqual([
      2,
      "warpfarm lower: template file ./loops.ts: schedule of config 7 did not end within 5 s; it takes milliseconds, unless a loop in it never ends\n",
    ]);
  });
  test("in its space is no other", async (ctx) => {
    if (!isFull) ctx.skip(others);
    const { code, stderr } = await looping(place(), example.replace("const [k] =", `${loop} $&`), lower).finished;
    expect(code).toBe(2);
    expect(stderr).toContain("loops.ts: its graph and space did not end within 5 s");
  });
  test("at the top level of the file ends by itself, and names the file", async (ctx) => {
    if (!isFull) ctx.skip(others);
    const { code, stderr } = await looping(place(), `${loop}\n${example}`, lower).finished;
    expect([code, stderr.replaceAll("in the loop\n", "")]).toEqual([
      2,
      "warpfarm lower: template file ./loops.ts: its top level did not end within 5 s; it takes milliseconds, unless a loop in it never ends\n",
    ]);
  });
  test("is not what a file does that had no processor: its top level begins anew", async () => {
    const here = place();
    const asleep = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)";
    writeFileSync(here.path("sleeps.ts"), `globalThis.begun ??= 0;\nif (globalThis.begun++ === 0) ${asleep};\n${example}`);
    const lowered = await start(here, ["lower", "./sleeps.ts", "--index", "7"], { node: ["--import", shortCalls] }).finished;
    expect([lowered.code, lowered.stderr]).toEqual([0, ""]);
  });
  test.each(some(signals, 1))("at the top level of the file: %s ends the command", async (signal, exitCode) => {
    const loading = looping(place(), `${loop}\n${example}`, lower);
    await until(() => loading.stderr().includes("in the loop"), "the loop", 120_000);
    loading.kill(signal);
    expect((await loading.finished).code).toBe(exitCode);
  });
});
