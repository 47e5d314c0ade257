/**
 * What users get wrong, and the one sentence that each is answered with: exit 2, the input by name, and what is allowed. A file
 * of a template is bundled and run as always; nothing here needs a farm.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { oneSentence, runCli, scratch, storesInMemory } from "./context.testing.ts";

type Files = Readonly<Record<string, string>>;
type Row = readonly [argv: readonly string[], answer: string, files?: Files];

async function answer(argv: readonly string[], files: Files = {}): Promise<string> {
  const home = scratch();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const said = await runCli(argv, { home, openRecords: storesInMemory() });
  expect([said.code, said.stdout]).toEqual([2, ""]);
  return oneSentence(said).replaceAll(home, "~");
}

const internal = /InternalError|\[object |Invalid input|expected .* received|\/warpfarm\.\w+\.v1|fault of warpfarm/;
const answered = (rows: readonly Row[]) =>
  test.each(
    rows.map(([argv, words, files]) => [argv.join(" "), words, argv, files] as const),
  )("%s: %s", async (_, words, argv, files) => {
    expect(await answer(argv, files)).toBe(words);
    expect(words).not.toMatch(internal);
  });

/** A template that is right but for its parts here. */
const template = ({
  space = '{ k: space.choice("k", [1, 2]) }',
  shape = "[n]",
  axes = '[["i", n]]',
  body = "at(x, i)",
  args = "whole(64)",
  schedule = "",
}) => ({
  "m.ts": `import { at, compute, defineTemplate, exactly, graphOf, placeholder, whole } from "warpfarm";
export default defineTemplate({
  name: "mine", summary: "s", targets: ["cpu"], args: { n: ${args} },
  graph: ({ args: { n } }) => { const x = placeholder("x", ${shape}); return graphOf([x], [compute("y", ${axes}, (i) => ${body})]); },
  space: (space) => (${space}),
  schedule: (schedule, { k }) => { ${schedule} },
});
`,
});
/** A kernel of one's own with this spec beside it. */
const kernel = (spec: string | object) => ({
  "k.cu": 'extern "C" __global__ void k(float* x) { x[0] = 1; }\n',
  "k.json":
    typeof spec === "string"
      ? spec
      : JSON.stringify({
          args: [{ name: "x", dtype: "float32", shape: [1], role: "out" }],
          kernels: [{ entry: "k", grid: [1], block: [1] }],
          ...spec,
        }),
});
const suite = (text: string) => ({ "s.yaml": text });
const config = (text: string) => ({ ".config/warpfarm/config.yaml": text });

describe("a template's space", () => {
  answered([
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: choice f has no values; it takes one value or more",
      template({ space: '{ f: space.choice("f", []) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: choice f has no list of values; it takes one value or more",
      template({ space: '{ f: space.choice("f", 4) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: choice f lists 1 twice; list each value once",
      template({ space: '{ f: space.choice("f", [1, 2, 1]) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: choice f has the value NaN; values are numbers, strings, booleans, null, and lists of them",
      template({ space: '{ f: space.choice("f", [1, NaN]) }' }),
    ],
    [
      ["space", "m.ts"],
      'warpfarm space: template file m.ts: its graph and space: a choice is named ""; a knob\'s name is a string of one letter or more',
      template({ space: '{ f: space.choice("", [1, 2]) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: two knobs are named k; each knob of a space takes a name of its own",
      template({ space: '{ a: space.choice("k", [1]), b: space.choice("k", [2]) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: choice k has no value 3, which `absent` names; it has [1,2]",
      template({ space: '{ a: space.choice("k", [1, 2], { absent: 3 }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: split t is into 1 parts; it takes an integer of at least 2",
      template({ space: '{ a: space.split("t", { loop: 1, extent: 64 }, { parts: 1 }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: split t has no entry for an extent of 64: its maxFactor or filter refuses all; allow one or more",
      template({ space: '{ a: space.split("t", { loop: 1, extent: 64 }, { parts: 2, filter: () => false }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: split t is of an extent of 0; it takes a loop of the schedule",
      template({ space: '{ a: space.split("t", { loop: 1, extent: 0 }, { parts: 2 }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: split t is of no loop; it takes a loop of the schedule",
      template({ space: '{ a: space.split("t", undefined, { parts: 2 }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: split t is into undefined parts; it takes an integer of at least 2",
      template({ space: '{ a: space.split("t", { loop: 1, extent: 64 }) }' }),
    ],
    [
      ["space", "m.ts"],
      "warpfarm space: template file m.ts: its graph and space: the space has 1.0e+18 configs (k0 100 x k1 100 x k2 100 x k3 100 x k4 100 x k5 100 x k6 100 x k7 100 x k8 100); at most 2^53 are allowed: give knobs fewer values",
      template({ space: "Array.from({ length: 9 }, (_, i) => space.choice('k' + i, Array.from({ length: 100 }, (_, j) => j)))" }),
    ],
  ]);
});

describe("a template's computation, arguments and schedule", () => {
  answered([
    [
      ["space", "m.ts"],
      'warpfarm space: mine: placeholder "x" has the shape 64; a shape is a list of whole numbers',
      template({ shape: "n" }),
    ],
    [
      ["space", "m.ts"],
      'warpfarm space: mine: compute "y" has the axes [64]; axes are a list of [name, extent]',
      template({ axes: "[n]" }),
    ],
    [
      ["space", "m.ts"],
      'warpfarm space: mine: the body of compute "y" gives 7; it gives an expression, such as at(x, i)',
      template({ body: "7" }),
    ],
    [
      ["space", "m.ts"],
      'warpfarm space: template file m.ts: defineTemplate of mine: args.n is {"default":64}; whole(64), pair(1, 0), real(0.5) and word("a", ["a", "b"]) make one',
      template({ args: "{ default: 64 }" }),
    ],
    [
      ["lower", "m.ts", "--index", "0"],
      "warpfarm lower: template file m.ts: schedule of config 0: exactly(2, ...) was given a list of 1",
      template({ schedule: 'exactly(2, schedule.axes(schedule.stage("y")));' }),
    ],
    [
      ["lower", "m.ts", "--index", "0"],
      "warpfarm lower: template file m.ts: it throws { code: 3 }",
      template({ schedule: "throw { code: 3 };" }),
    ],
  ]);
});

describe("what a template file exports", () => {
  answered([
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: its default export is a number; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": "export default 7;" },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: its default export is a string; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": 'export default "text";' },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: its default export is a function; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": "export default () => 3;" },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: its default export is an object that defineTemplate did not return; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": 'export default { name: "x" };' },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: its default export is a promise; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": "export default Promise.resolve(3);" },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: it exports only a; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": "export const a = 1;" },
    ],
    [
      ["space", "d.mjs"],
      "warpfarm space: template file d.mjs: it exports nothing; export what defineTemplate of warpfarm returns, or by default what graphOf returns",
      { "d.mjs": "" },
    ],
    [["space", "d.mjs"], "warpfarm space: template file d.mjs: it throws 'plain text'", { "d.mjs": 'throw "plain text";' }],
  ]);
});

describe("the name of a command", () => {
  answered([
    [
      ["help", "nosuch"],
      'warpfarm: there is no command "nosuch"; there are tasks, tune, suite, measure, check, score, space, lower, build, best, export, records, verify, nodes, sessions, drain, gc, doctor, completion',
    ],
    [
      ["help", "tnue"],
      'warpfarm: there is no command "tnue" (did you mean tune?); there are tasks, tune, suite, measure, check, score, space, lower, build, best, export, records, verify, nodes, sessions, drain, gc, doctor, completion',
    ],
    [
      ["help", "records", "imprt"],
      'warpfarm records: there is no command "imprt" of records (did you mean import?); there are query, best, diff, show, receipt, export, import, share, prune',
    ],
    [["help", "tune", "x"], 'warpfarm tune: "x" is no command of tune, which has none; see warpfarm tune --help'],
    [
      ["records", "X"],
      'warpfarm records: there is no command "X" of records; there are query, best, diff, show, receipt, export, import, share, prune',
    ],
    [
      ["suite", "rnu"],
      'warpfarm suite: there is no command "rnu" of suite (did you mean run?); there are run, from-onnx, settle, verify, resume, status, report, table, cancel, work',
    ],
    [
      ["sessions", "pause"],
      'warpfarm sessions: sessions takes no arguments, and "pause" is too many; a file is given with a flag: --perfetto; see warpfarm sessions --help',
    ],
    [
      ["score", "cache.json"],
      'warpfarm score: score takes no arguments, and "cache.json" is too many; a file is given with a flag: --space, --transfer; see warpfarm score --help',
    ],
    [
      ["best", "a.jsonl", "b.jsonl"],
      'warpfarm best: best takes <file> alone, and "b.jsonl" is too many; see warpfarm best --help',
    ],
  ]);
});

describe("a file that is no log, or none", () => {
  answered([
    [
      ["best", "notes.txt"],
      'warpfarm best: notes.txt is no tuning log: a log has a JSON object with "input", "config" and "result" on each line',
      { "notes.txt": "buy milk\n" },
    ],
    [["best", "a.json"], "warpfarm best: a.json has no records", { "a.json": "\n\n" }],
    [
      ["score", "--space", "log.txt", "--tuner", "ga"],
      "warpfarm score: --space: log.txt is not a file of records; these forms are read: jsonl, autotvm, autotvm-0.1, ansor, metaschedule, csv, kernel-tuner, ktt, t4, cltune, t1, parquet",
      { "log.txt": "hello\n" },
    ],
    [["score", "--space", "e.json", "--tuner", "ga"], "warpfarm score: --space: e.json is empty", { "e.json": "" }],
    [
      ["score", "--space", "no.json", "--tuner", "ga"],
      "warpfarm score: --space: ~/no.json cannot be read: there is no such file or folder",
    ],
    [
      ["records", "import", "a.json"],
      "warpfarm records: a.json is not a file of records; these forms are read: jsonl, autotvm, autotvm-0.1, ansor, metaschedule, csv, kernel-tuner, ktt, t4, cltune, t1, parquet",
      { "a.json": "{}" },
    ],
    [["records", "import", "nowhere.json"], "warpfarm records: ~/nowhere.json cannot be read: there is no such file or folder"],
  ]);
});

describe("a suite", () => {
  answered([
    [["suite", "from-onnx", "s.yaml"], "warpfarm suite: s.yaml is no ONNX model, or it is cut off: it has no nodes", suite("")],
    [
      ["suite", "run", "s.yaml"],
      "warpfarm suite: suite s.yaml is not YAML: Tabs are not allowed as indentation at line 3, column 1; indent with spaces",
      suite("name: s\ntasks:\n\t- task: matmul_derived\n"),
    ],
    [["suite", "run", "s.yaml"], "warpfarm suite: suite s.yaml: tasks: it is 7; it takes a list", suite("name: s\ntasks: 7\n")],
    [
      ["suite", "run", "s.yaml"],
      "warpfarm suite: suite s.yaml: tasks: it is an empty list; it takes at least 1 item",
      suite("name: s\ntasks: []\n"),
    ],
    [["suite", "run", "s.yaml"], "warpfarm suite: suite s.yaml: the suite: it is empty; it takes an object", suite("")],
    [
      ["suite", "run", "s.yaml"],
      "warpfarm suite: suite s.yaml is not YAML: Map keys must be unique at line 2, column 1",
      suite("name: s\nname: t\ntasks: []\n"),
    ],
    [
      ["suite", "run", "s.yaml"],
      'warpfarm suite: suite s.yaml:4: shapes names "missing.csv", which cannot be read: there is no such file or folder; shapes takes a .csv, .tsv, .jsonl or .json file in the suite\'s folder, a list, or {ranges}',
      suite("name: s\ntasks:\n  - task: matmul_derived\n    shapes: missing.csv\n"),
    ],
    [
      ["suite", "run", "s.yaml"],
      "warpfarm suite: suite s.yaml: tasks[0]: trials is no field of it; fields are task, spec, args, epilogue, shapes, weight, targets, where, budget",
      suite("name: s\ntasks:\n  - task: matmul_derived\n    trials: many\n"),
    ],
    [["suite", "run", "missing.yaml"], 'warpfarm suite: suite "missing.yaml" cannot be read: there is no such file or folder'],
  ]);
});

describe("a spec", () => {
  answered([
    [["space", "k.cu"], "warpfarm space: k.json: the spec: it is empty; it takes an object", kernel("")],
    [
      ["space", "k.cu"],
      "warpfarm space: k.yaml is not YAML: Tabs are not allowed as indentation at line 2, column 1; indent with spaces",
      { "k.cu": "", "k.yaml": "args:\n\t- {name: x}\n" },
    ],
    [
      ["space", "./no.cu"],
      "warpfarm space: ~/no.cu cannot be read: there is no such file or folder",
      { "no.json": kernel({})["k.json"] },
    ],
    [
      ["measure", "k.ptx", "--launch", "entry=k,grid=1,block=1", "--args", "no.json"],
      'warpfarm measure: --args names "no.json", which cannot be read: there is no such file or folder',
      { "k.ptx": "" },
    ],
    [["space", "k.cu"], "warpfarm space: k.json: args: it is missing; it takes a list", kernel("{}")],
    [["space", "k.cu"], "warpfarm space: k.json: the spec: it is an empty list; it takes an object", kernel("[]")],
    [["space", "k.cu"], "warpfarm space: k.json: the spec: it is 7; it takes an object", kernel("7")],
    [["space", "k.cu"], "warpfarm space: k.json is not YAML: Unexpected , in flow map at line 1, column 2", kernel("{,}")],
    [
      ["space", "k.cu"],
      "warpfarm space: k.json:1: tunables.B: it is an empty list; it takes at least 1 item",
      kernel({ tunables: { B: [] } }),
    ],
    [
      ["space", "k.cu"],
      "warpfarm space: k.json:1: tunables.B: a list of values, or an expression that gives one",
      kernel({ tunables: { B: [[1]] } }),
    ],
    [
      ["space", "k.cu"],
      "warpfarm space: k.json:1: kernels: it is an empty list; it takes at least 1 item",
      kernel({ kernels: [] }),
    ],
    [["space", "k.cu"], "warpfarm space: k.json: the spec: kernel is no field of it", kernel({ kernel: [] })],
    [["space", "k.cu"], "warpfarm space: k.json:1: constraints[0]: it is 3; it takes a string", kernel({ constraints: [3] })],
    [["space", "k.cu"], 'warpfarm space: k.json:1: problem.N: it is "3"; it takes a number', kernel({ problem: { N: "3" } })],
    [
      ["space", "k.cu"],
      "warpfarm space: k.json:1: args[0]: a tensor {name, dtype, shape, role}, a scalar {scalar, value} or a structure {struct}",
      kernel({ args: ["x"] }),
    ],
    [
      ["space", "k.cu"],
      'warpfarm space: k.json:1: args[0].role: it is "output"; it takes in, out, inout, workspace',
      kernel({ args: [{ name: "x", dtype: "float32", shape: [1], role: "output" }] }),
    ],
    [
      ["space", "k.cu"],
      'warpfarm space: k.json:1: args[0].shape: it is "big"; it takes a list',
      kernel({ args: [{ name: "x", dtype: "float32", shape: "big", role: "out" }] }),
    ],
  ]);
});

describe("settings, tokens and flags", () => {
  answered([
    [
      ["nodes"],
      "warpfarm nodes: config file ~/.config/warpfarm/config.yaml is not YAML: Tabs are not allowed as indentation at line 2, column 1; indent with spaces",
      config("tracker:\n\t- x\n"),
    ],
    [
      ["nodes"],
      "warpfarm nodes: config file ~/.config/warpfarm/config.yaml: tracker: it is 9290; it takes a string; allowed are tracker, target, token_file, tls_ca, tls_cert, tls_key, data_dir, cache_dir, log_dir, each a string",
      config("tracker: 9290\n"),
    ],
    [
      ["nodes", "--tracker", "h:1", "--token-file", "t"],
      'warpfarm nodes: --token-file names "t", whose first line is not a token: 1 to 512 printable characters without spaces',
      { t: "" },
    ],
    [
      ["nodes", "--tracker", "http://h:9290"],
      'warpfarm nodes: --tracker is "http://h:9290"; it takes host:port, for instance 127.0.0.1:9290',
    ],
    [
      ["tune", "matmul_derived", "--args", "7"],
      "warpfarm tune: matmul_derived: arguments are 7; they are a list in the order M, N, K, dtype, layout, or an object of these names",
    ],
    [["tune", "matmul", "--args", '{"N":{}}'], "warpfarm tune: matmul: argument N is {}; it takes a whole number from 1"],
    [
      ["check", "matmul_derived", "--args", '{"M":256,"N":33,"K":256}', "--target", "cpu", "--index", "0"],
      'warpfarm check: matmul_derived [256,33,256,"float32","NN"] takes 4.3 Mflop, more than the 4.2 that the interpreter can take; give smaller shapes with --args',
    ],
  ]);
});
