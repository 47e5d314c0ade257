/**
 * Checks the results of the source programs: at full shape against PyTorch, random configs against our reference, and under
 * compute-sanitizer.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dtypeBytes, inputSeed, isFloat } from "../../common/dist/index.js";
import { evaluate } from "../../compiler/dist/index.js";
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { elementsOf } from "../../runner/dist/measure/elements.js";
import { fillElements } from "../../runner/dist/measure/inputs.js";
import { operatorOf, programs, smaller, standardConfig, validConfigs, variantsOf } from "./programs-tasks.mjs";
import { buildLauncher, sanitize, torch } from "./programs-tools.mjs";
import { cores, dry, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { table } from "./shared/sections.mjs";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-programs-"));
const countOf = (shape) => shape.reduce((a, b) => a * b, 1);

/** The allowed norm of the difference relative to the norm of the reference; integers must be equal. */
const allowed = { float32: 1e-4, float16: 2e-3, bfloat16: 1e-2 };

/** Runs an artifact once on its seeded inputs and writes a file with the bytes of every tensor. */
function runToFiles(driver, device, { manifest, codePath }) {
  const buffers = new Map(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
  try {
    manifest.buffers.forEach(({ name, role }, number) => {
      if (role === "in") device.fill(buffers.get(name), inputSeed, number);
      else device.poison(buffers.get(name));
    });
    const module = device.load(manifest, codePath);
    let ms;
    try {
      ms = device.run(module, buffers, 1, "events");
    } finally {
      module[Symbol.dispose]();
    }
    const damaged = device.damaged(buffers.values());
    if (damaged.length > 0) throw new Error(`wrote outside of its buffers: ${damaged.join(", ")}`);
    const dump = (role) =>
      manifest.buffers
        .filter((spec) => spec.role === role)
        .map(({ name, dtype, shape, bytes }) => {
          const host = new Uint8Array(bytes);
          driver.copyToHost(host, buffers.get(name).address);
          return tensorFile(name, dtype, shape, host);
        });
    return { inputs: dump("in"), output: dump("out")[0], ms };
  } finally {
    for (const buffer of buffers.values()) device.free(buffer);
  }
}

let files = 0;
function tensorFile(name, dtype, shape, bytes) {
  const file = join(scratch, `${files++}.${name}`);
  writeFileSync(file, bytes);
  return { file, dtype, shape };
}

/** The same without a GPU: the computation by its definition. */
function evaluateToFiles({ graph }) {
  const data = new Map();
  const inputs = graph.inputs.map(({ name, dtype, shape }, number) => {
    const count = countOf(shape);
    const bytes = new Uint8Array(dtypeBytes(dtype, count));
    fillElements(dtype, bytes, count, inputSeed, number);
    const elements = elementsOf(dtype, bytes, count);
    data.set(name, elements);
    return tensorFile(name, dtype, shape, bytes);
  });
  const [{ name, dtype, shape }] = graph.outputs;
  const values = evaluate(graph, data).get(name);
  if (!values) throw new Error(`${name} was not computed`);
  const kept = isFloat(dtype) ? "float32" : dtype;
  return { inputs, output: tensorFile(name, kept, shape, new Uint8Array(values.buffer)), ms: 0 };
}

export async function correctSection() {
  const target = targetHere();
  const variants = programs.flatMap((program) => variantsOf(program, target, dry ? smaller(program, target, "tiny") : {}));
  const cases = [];
  const failed = [];
  if (dry) for (const v of variants) cases.push({ ...v, ...evaluateToFiles(v.task), config: "-", notes: [] });
  else {
    const builds = await openBuilds(cores);
    const opened = openCudaDriver();
    if (!opened.ok) throw new Error(opened.error.message);
    const device = new CudaDevice(opened.value, 0);
    /** @type {(variant: (typeof variants)[number]) => Promise<any>} */
    const build = async (variant) => {
      const config = standardConfig(variant.program, variant.task, target);
      if (config === undefined) return { ...variant, problem: "no valid config" };
      const made = variant.task.instantiate(config.index);
      if (!made.ok) return { ...variant, problem: made.error.message };
      const built = await builds.build(made.value.program);
      const problem = built.refused && `does not build: ${built.refused.message}`;
      return { ...variant, config: `${config.what} ${config.index}`, ...built, problem };
    };
    for (const built of variants.map(build)) {
      const one = await built;
      try {
        if (one.problem !== undefined) throw new Error(one.problem);
        cases.push({ ...one, ...runToFiles(opened.value, device, one.artifact), notes: one.artifact.manifest.notes });
      } catch (error) {
        failed.push({ name: one.name, config: one.config, error: error.message });
      }
    }
    await builds.close();
  }
  const list = cases.map((c) => ({ name: c.name, op: operatorOf(c), inputs: c.inputs, output: c.output }));
  const listFile = join(scratch, "cases.json");
  writeFileSync(listFile, JSON.stringify(list));
  const { lines, error } = await torch(["check", listFile, ...(dry ? ["--cpu"] : [])], 60);
  if (error !== undefined) console.log(error);
  const kept = cases.map(({ name, config, output, ms, notes }) => {
    const found = lines.find((line) => line.name === name) ?? { error: "not compared" };
    const right = typeof found.relative === "number" && found.notNumbers === 0 && found.relative <= (allowed[output.dtype] ?? 0);
    return { name, config, dtype: output.dtype, ms, notes, right, ...found };
  });
  for (const one of failed) kept.push({ ...one, right: false });
  const small = (x) => (x === undefined || x === null ? "-" : x === 0 ? "0" : x.toExponential(1));
  table(
    ["program", "config", "output", "", "max error", "relative", "torch's own", "largest value", "elements"],
    kept.map((k) => [
      k.name,
      k.config ?? "-",
      k.dtype ?? "-",
      k.right ? "right" : "WRONG",
      ...[k.maxAbs, k.relative, k.ownRelative].map(small),
      k.largest?.toFixed(2) ?? "-",
      k.elements ?? "-",
    ]),
  );
  for (const k of kept) {
    if (k.error !== undefined) console.log(`${k.name}: ${k.error.slice(0, 300)}`);
    for (const note of k.notes ?? []) console.log(`${k.name}: note ${note.rule}: ${note.message.slice(0, 160)}`);
  }
  console.log("relative: norm of the difference from float64 over its norm; torch's own: the same of torch's float32 operator");
  return kept;
}

const randomSeconds = 80;
const configsEach = 200;

/**
 * So many valid configs of each template, spread over its types and layouts, each built, run and compared once, until its time is
 * up.
 */
export async function randomSection() {
  const target = targetHere();
  const host = await openHost();
  const builds = await openBuilds(cores);
  const begun = performance.now();
  const kept = [];
  try {
    for (const [at, program] of programs.entries()) {
      const left = randomSeconds - (performance.now() - begun) / 1000;
      const over = dry ? smaller(program, target, "small") : {};
      const seconds = dry ? 20 : left / (programs.length - at);
      const found = await randomOf(variantsOf(program, target, over), { target, host, builds, seconds });
      kept.push({ name: program.name, ...found });
    }
  } finally {
    await host.close();
    await builds.close();
  }
  table(
    ["random configs of", "valid there", "checked", "wrong", "did not build", "too slow to build", "did not run", "s"],
    kept.map((k) => [k.name, k.available, k.checked, k.wrong, k.refused, k.late, k.fault, k.seconds.toFixed(0)]),
  );
  for (const { name, examples } of kept)
    for (const { variant, index, words } of examples.slice(0, 6)) console.log(`${name}: ${variant} #${index}: ${words}`);
  return kept;
}

async function randomOf(variants, { target, host, builds, seconds }) {
  const begun = performance.now();
  const spent = () => (performance.now() - begun) / 1000;
  const wanted = dry ? 2 : configsEach;
  const lists = variants.map((variant) => ({ ...variant, configs: validConfigs(variant.task, target, 7), taken: 0 }));
  const references = new Map();
  const count = { checked: 0, wrong: 0, refused: 0, late: 0, fault: 0 };
  const examples = [];
  const buildLimitMs = () => Math.min(10_000, 1000 * (seconds - spent()));
  /** Of the variants that have configs left, the one with the fewest configs so far. */
  const next = () => {
    const order = lists.filter((list) => !list.ended).sort((a, b) => a.taken - b.taken);
    for (const list of order) {
      const { value, done } = list.configs.next();
      if (done) list.ended = true;
      else {
        list.taken++;
        return { list, index: value };
      }
    }
    return undefined;
  };
  let outstanding = 0;
  let running = Promise.resolve();
  const note = (kind, { list, index }, words) => {
    count[kind]++;
    examples.push({ kind, variant: list.name, index, words: String(words).slice(0, 220) });
  };
  const one = async (candidate) => {
    const { list, index } = candidate;
    const { name, task } = list;
    if (!references.has(name)) references.set(name, builds.build(task.reference, 20_000));
    const reference = await references.get(name);
    const made = task.instantiate(index);
    const built = made.ok ? await builds.buildWithin(made.value.program, buildLimitMs) : { refused: made.error };
    if (built === undefined) return;
    if (reference.refused) return note("refused", candidate, `the reference does not build: ${reference.refused.message}`);
    if (built.refused) return note(built.refused.errorNo === 6 ? "late" : "refused", candidate, built.refused.message);
    const run = running.then(() =>
      host.run(built.artifact, reference.artifact, { number: 1, repeat: 1, minRepeatMs: 0, timer: "events", runTimeoutMs: 5000 }),
    );
    running = run.catch(() => {});
    const result = await run;
    if (result.kind === "timed") count.checked++;
    else
      note(result.errorNo === 5 ? "wrong" : "fault", candidate, `${result.errorNo ?? ""} ${result.rule ?? ""} ${result.message}`);
  };
  const worker = async () => {
    while (count.checked + outstanding < wanted && spent() < seconds) {
      const candidate = next();
      if (candidate === undefined) return;
      outstanding++;
      try {
        await one(candidate);
      } catch (error) {
        note("fault", candidate, error.message);
      } finally {
        outstanding--;
      }
    }
  };
  await Promise.all(Array.from({ length: 2 * cores }, worker));
  const sizes = lists.map(({ task }) => task.space.size).reduce((a, b) => a + b, 0);
  const used =
    lists.filter((list) => list.ended).length === lists.length ? lists.reduce((sum, l) => sum + l.taken, 0) : undefined;
  const rank = { wrong: 0, fault: 1, refused: 2, late: 3 };
  examples.sort((a, b) => rank[a.kind] - rank[b.kind]);
  return {
    ...count,
    available: used ?? `of ${sizes}`,
    variants: lists.length,
    seconds: spent(),
    examples: examples.slice(0, 20),
  };
}

/**
 * One kernel of each program at a small shape under memcheck and racecheck, and a second one where another config has other
 * steps.
 */
export async function sanitizerSection() {
  const target = targetHere();
  const builds = await openBuilds(cores);
  const jobs = await Promise.all(
    programs
      .flatMap((program) => [undefined, ...(program.alsoSanitized ?? [])].map((also) => ({ program, also })))
      .map(async ({ program, also }) => {
        let picked;
        const args = smaller(program, target, "small", (task) => {
          const config = also === undefined ? standardConfig(program, task, target) : { index: also, what: "also" };
          picked = config && { task, config };
          return config !== undefined;
        });
        if (args === undefined) return { name: program.name, problem: "no small shape has a valid config" };
        const { task, config } = picked;
        const made = task.instantiate(config.index);
        const built = made.ok ? await builds.build(made.value.program) : { artifact: undefined, refused: made.error };
        const text = `${config.what} ${config.index} at ${JSON.stringify(args)}`;
        return { name: program.name, config: text, artifact: built.artifact, problem: built.refused?.message };
      }),
  );
  await builds.close();
  const launcher = await buildLauncher();
  const checked = await Promise.all(
    jobs.flatMap(({ artifact, ...job }) =>
      ["memcheck", "racecheck"].map(async (tool) =>
        job.problem === undefined
          ? {
              ...job,
              tool,
              ...(dry ? { clean: false, said: "not run", log: undefined } : await sanitize(launcher, tool, artifact, 30)),
            }
          : { ...job, tool, clean: false, said: job.problem, log: undefined },
      ),
    ),
  );
  table(
    ["compute-sanitizer", "tool", "", "says", "config"],
    checked.map((c) => [c.name, c.tool, c.clean ? "clean" : "NOT CLEAN", c.said.slice(0, 90), c.config ?? "-"]),
  );
  for (const { name, tool, log } of checked) if (log !== undefined) console.log(`${name}, ${tool}:\n${log.slice(0, 1200)}`);
  return checked;
}
