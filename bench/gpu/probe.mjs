/**
 * First look at a machine with an NVIDIA GPU, in under three minutes: `npm run build && node bench/gpu/probe.mjs`. Prints short tables; numbers
 * in $OUT/probe.json. Options: --only=facts,timing  --budget=SECONDS  --resume.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism, hostname, tmpdir, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { createTask } from "../../client/dist/index.js";
import { Random } from "../../common/dist/index.js";
import { compileProgram, decodeProgram, gpuLimits } from "../../compiler/dist/index.js";
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { cudaFacts } from "../../runner/dist/device/cuda/cuda-facts.js";
import { lockDevice } from "../../runner/dist/device/cuda/device-lock.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { cudaEnvironment } from "../../runner/dist/device/cuda/environment.js";
import { HelperKernels } from "../../runner/dist/device/cuda/helper-kernels.js";
import { openNvml } from "../../runner/dist/device/cuda/nvml.js";
import { DeviceHost } from "../../runner/dist/worker/host.js";
import { compileEmitted, compileText, cudaToolchain, tensor } from "./kernels.mjs";
import { median, percent, runSections, spread, table } from "./sections.mjs";

const self = fileURLToPath(import.meta.url);
const ms = (x, digits = 3) => `${x.toFixed(digits)} ms`;
const timed = (work) => {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
};
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

function driver() {
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
const targetOf = (info) => `cuda/sm_${info.attributes.compute_capability_major}${info.attributes.compute_capability_minor}`;

/** A grid that keeps the GPU busy for about as long as LOOPS says: dependent multiply-adds, one store. */
const work = (loops) => `extern "C" __global__ void __launch_bounds__(256) kernel(const float *x, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < ${loops}; ++k) v = fmaf(v, 0.999f, 0.001f);
  y[i] = v;
}
`;
const BLOCKS = 264;
const workBuffers = [tensor("x", "in", "float32", [BLOCKS * 256]), tensor("y", "out", "float32", [BLOCKS * 256])];
const workShape = { grid: [BLOCKS, 1, 1], block: [256, 1, 1] };

/** Kernels of about these lengths, found by measuring one and scaling. */
async function kernelsOfAbout(device, target, wantedMs) {
  const toolchain = await cudaToolchain();
  const buffers = new Map(workBuffers.map((spec) => [spec.name, device.allocate(spec)]));
  device.fill(buffers.get("x"), 1, 0);
  const timeOf = async (loops) => {
    const { manifest, codePath } = await compileText(toolchain, work(loops), target, workBuffers, workShape);
    const module = device.load(manifest, codePath);
    const first = device.run(module, buffers, 1, "cuda_graph");
    const number = Math.max(3, Math.ceil(20 / Math.max(0.002, first)));
    return { module, loops, codePath, runMs: device.run(module, buffers, number, "cuda_graph") / number };
  };
  const [short, long] = [await timeOf(100), await timeOf(20_000)];
  const perLoop = (long.runMs - short.runMs) / (long.loops - short.loops);
  const base = short.runMs - perLoop * short.loops;
  const kernels = [];
  for (const wanted of wantedMs) kernels.push(await timeOf(Math.max(1, Math.round((wanted - base) / perLoop))));
  return { kernels, buffers, base };
}

const childSettings = (ordinal = 0) => ({
  device: `cuda:${ordinal}`,
  threads: availableParallelism(),
  lockDirectory: tmpdir(),
  addressSpaceBytes: 2 * totalmem(),
  keepBytes: 2 ** 30,
});
const childEnv = () =>
  Object.fromEntries(cudaEnvironment.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

const options = {
  number: 0,
  repeat: 3,
  minRepeatMs: 20,
  buildTimeoutMs: 30_000,
  runTimeoutMs: 2_000,
  cooldownMs: 0,
  l2: "warm",
  timer: "cuda_graph",
  check: "reference",
};

/** A host with a spare child, and a reference that passes on it. */
async function hostWithReference() {
  const target = targetOf(driver().device(0));
  const toolchain = await cudaToolchain();
  const n = 1 << 16;
  const buffers = [tensor("x", "in", "float32", [n]), tensor("y", "out", "float32", [n])];
  const shape = { grid: [n / 256, 1, 1], block: [256, 1, 1] };
  const build = (body, over = {}) =>
    compileText(
      toolchain,
      `extern "C" __global__ void kernel(float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; ${body} }\n`,
      target,
      buffers,
      { ...shape, ...over },
    );
  const reference = await build("y[i] = 2.0f * x[i];");
  const host = new DeviceHost({
    node: hostname(),
    settings: childSettings(),
    env: childEnv(),
    onLine: (line) => console.log(`  child: ${line}`),
  });
  const start = performance.now();
  const description = await host.start();
  const startMs = performance.now() - start;
  const run = async (artifact, over = {}) => {
    const begun = performance.now();
    const outcome = await host.run({ artifact, reference, options: { ...options, ...over }, attempt: 1, buildMs: 0 });
    const wallMs = performance.now() - begun;
    const result = outcome.kind === "result" ? outcome.result : outcome;
    return {
      kind: result.kind,
      errorNo: result.errorNo,
      rule: result.rule,
      message: result.message,
      costs: result.costs,
      observations: result.observations,
      busyMs: result.busyMs,
      wallMs,
    };
  };
  return { host, build, run, startMs, description };
}
const words = ({ kind, errorNo, rule, message, costs, wallMs }) =>
  kind === "timed"
    ? [`timed ${(median(costs) * 1e6).toFixed(2)} us`, wallMs.toFixed(0)]
    : [`${kind} ${errorNo ?? ""} ${rule ?? ""}: ${(message ?? "").slice(0, 90)}`, wallMs.toFixed(0)];

await runSections(self, "probe", {
  facts: {
    seconds: 40,
    async run() {
      const cuda = driver();
      const info = cuda.device(0);
      const nvml = openNvml(info.uuid);
      const { facts, memoryBytes, limits } = cudaFacts(info, cuda.version, nvml);
      const context = timed(() => new CudaDevice(cuda, 0, nvml));
      const { freeBytes } = cuda.memoryInfo();
      const rows = Object.entries({
        ...facts,
        memoryGiB: (memoryBytes / 2 ** 30).toFixed(1),
        freeGiB: (freeBytes / 2 ** 30).toFixed(1),
        contextAndHelpersMs: context.ms.toFixed(0),
        sharing: JSON.stringify(nvml?.sharing()),
        observed: JSON.stringify(nvml?.observe()),
        energyMj: nvml?.totalEnergyMj(),
      });
      table(["fact", "value"], rows);
      console.log(JSON.stringify(limits));
      const first = lockDevice(info.uuid);
      console.log(
        `lock: first ${first.ok ? "taken" : first.error.message}; second ${lockDevice(info.uuid).ok ? "TAKEN TOO" : "refused"}`,
      );
      return { facts, memoryBytes, limits, contextMs: context.ms };
    },
  },

  toolchains: {
    seconds: 75,
    async run() {
      const target = targetOf(driver().device(0));
      const toolchain = await cudaToolchain();
      const task = createTask("tutorial/conv2d_no_batching", undefined, target);
      const random = new Random(1);
      const limits = gpuLimits(target);
      const texts = [];
      const lowering = [];
      for (let tries = 0; texts.length < 16 && tries < 20_000; tries++) {
        const index = random.below(task.space.size);
        if (task.validate(index, limits).length > 0) continue;
        const made = task.instantiate(index);
        if (!made.ok) continue;
        const program = decodeProgram(made.value.program.bytes);
        const lowered = timed(() => compileProgram(program.value));
        lowering.push(lowered.ms);
        if (lowered.value.ok) texts.push(lowered.value.value);
        else console.log(`index ${index}: ${lowered.value.error.message}`);
      }
      const seconds = [];
      const begun = performance.now();
      for (const text of texts) {
        // Some random configs are unrolled into thousands of lines and take seconds.
        if (performance.now() - begun > 40_000) break;
        const start = performance.now();
        const { manifest } = await compileEmitted(toolchain, text, target);
        seconds.push({ ms: performance.now() - start, bytes: text.text.length, ...manifest.resources });
      }
      console.log(`${toolchain.facts.id} at ${toolchain.facts.path}; targets ${toolchain.facts.targets.join(" ")}`);
      table(
        ["kernel", "text bytes", "ms", "registers", "spills", "shared"],
        seconds.map((s, i) => [i, s.bytes, s.ms.toFixed(1), s.registers, s.spill_bytes, s.static_shared_bytes]),
      );
      const rest = seconds.slice(1).map((s) => s.ms);
      console.log(
        `lowering median ${ms(median(lowering))}; ${toolchain.facts.kind} first ${seconds[0]?.ms.toFixed(1)} ms, then median ${median(rest).toFixed(1)}, mean ${mean(rest).toFixed(1)} ms`,
      );
      return { toolchain: toolchain.facts, seconds, lowering };
    },
  },

  helpers: {
    seconds: 40,
    async run() {
      const jit = (env) => {
        const script = `import { openCudaDriver } from ${JSON.stringify(new URL("../../runner/dist/device/cuda/driver.js", import.meta.url).href)};
import { HelperKernels } from ${JSON.stringify(new URL("../../runner/dist/device/cuda/helper-kernels.js", import.meta.url).href)};
const cuda = openCudaDriver().value; const a = performance.now(); cuda.openContext(0); const stream = cuda.createStream(); const b = performance.now();
new HelperKernels(cuda, stream, 1); const c = performance.now(); console.log(JSON.stringify([b - a, c - b]));`;
        return JSON.parse(
          execFileSync(process.execPath, ["--input-type=module", "-e", script], {
            encoding: "utf8",
            env: { ...process.env, ...env },
          }),
        );
      };
      const cold = jit({ CUDA_CACHE_DISABLE: "1" });
      jit({});
      const warm = jit({});
      console.log(
        `context ${ms(cold[0], 0)} (again ${ms(warm[0], 0)}); helper PTX compiled by the driver ${ms(cold[1], 0)}, from its cache ${ms(warm[1], 0)}`,
      );

      const cuda = driver();
      const device = new CudaDevice(cuda, 0);
      const stream = cuda.createStream();
      const helpers = new HelperKernels(cuda, stream, device.info.attributes.multiprocessor_count);
      const count = 1 << 28;
      const [a, b] = [cuda.allocate(4 * count), cuda.allocate(4 * count)];
      const events = [cuda.createEvent(), cuda.createEvent()];
      const gpuMs = (enqueue) => {
        enqueue();
        cuda.synchronize(stream);
        cuda.recordEvent(events[0], stream);
        enqueue();
        cuda.recordEvent(events[1], stream);
        cuda.synchronize(stream);
        return cuda.elapsedMs(...events);
      };
      const rows = [];
      for (const [dtype, size] of [
        ["float32", 4],
        ["float16", 2],
        ["int8", 1],
        ["float64", 8],
      ]) {
        const n = (4 * count) / size;
        const fill = gpuMs(() => helpers.fill(dtype, a, n, 7, 0));
        helpers.fill(dtype, b, n, 7, 0);
        const compare = timed(() => helpers.compare(dtype, a, b, n, { atol: 1e-6, rtol: 1e-6 }));
        const again = timed(() => helpers.compare(dtype, a, b, n, { atol: 1e-6, rtol: 1e-6 }));
        rows.push([
          dtype,
          ((4 * count * 1e-6) / fill).toFixed(0),
          ((8 * count * 1e-6) / again.ms).toFixed(0),
          again.value === undefined ? "agree" : JSON.stringify(again.value),
          compare.ms.toFixed(1),
        ]);
      }
      const digest = timed(() => helpers.digests([{ address: a, bytes: 4 * count }]));
      const invert = gpuMs(() => helpers.invert(b, a, 4 * count));
      table(["1 GiB of", "fill GB/s", "compare GB/s", "verdict", "first ms"], rows);
      console.log(
        `digest ${((4 * count * 1e-6) / digest.ms).toFixed(0)} GB/s, invert ${((8 * count * 1e-6) / invert).toFixed(0)} GB/s`,
      );
      const small = Array.from(
        { length: 50 },
        () => timed(() => helpers.compare("float32", a, a, 25_088, { atol: 0, rtol: 0 })).ms,
      );
      const zones = Array.from(
        { length: 50 },
        () => timed(() => helpers.digests(Array.from({ length: 8 }, () => ({ address: a, bytes: 65_536 })))).ms,
      );
      console.log(`compare of 25,088 floats ${ms(median(small))}; digests of 8 zones of 64 KiB ${ms(median(zones))}`);
      const wrong = { index: 12_345_678, count: 1 };
      cuda.copyToDevice(b, new Uint8Array(4));
      helpers.fill("float32", a, count, 7, 0);
      helpers.fill("float32", b, count, 7, 0);
      cuda.copyToDevice(b + BigInt(4 * wrong.index), new Uint8Array(new Float32Array([99]).buffer));
      const found = helpers.compare("float32", a, b, count, { atol: 1e-6, rtol: 1e-6 });
      console.log(`planted at ${wrong.index}: found ${JSON.stringify(found)}`);
      return { cold, warm, rows, digestMs: digest.ms, small: median(small), zones: median(zones), found };
    },
  },

  timing: {
    seconds: 60,
    async run() {
      const cuda = driver();
      const info = cuda.device(0);
      const device = new CudaDevice(cuda, 0, openNvml(info.uuid));
      const { kernels, buffers } = await kernelsOfAbout(device, targetOf(info), [0.002, 0.1, 5]);
      const rows = [];
      const kept = [];
      for (const { module, loops, runMs } of kernels) {
        for (const timer of ["cuda_graph", "events"]) {
          const number = Math.max(1, Math.ceil(100 / runMs));
          device.run(module, buffers, number, timer);
          const walls = [];
          const values = Array.from({ length: 20 }, () => {
            const run = timed(() => device.run(module, buffers, number, timer));
            walls.push(run.ms - run.value);
            return (run.value / number) * 1e3;
          });
          kept.push({ loops, timer, number, values, hostExtraMs: median(walls) });
          rows.push([
            `${(runMs * 1e3).toFixed(1)} us`,
            timer,
            number,
            median(values).toFixed(3),
            percent(spread(values)),
            Math.min(...values).toFixed(3),
            ms(median(walls)),
          ]);
        }
        const one = Array.from({ length: 20 }, () => device.run(module, buffers, 1, "cuda_graph") * 1e3);
        rows.push([
          `${(runMs * 1e3).toFixed(1)} us`,
          "graph of 1",
          1,
          median(one).toFixed(3),
          percent(spread(one)),
          Math.min(...one).toFixed(3),
          "",
        ]);
      }
      table(["kernel", "timer", "number", "us (median of 20)", "spread", "least", "host beyond events"], rows);
      return kept;
    },
  },

  graphs: {
    seconds: 40,
    async run() {
      const cuda = driver();
      const info = cuda.device(0);
      const device = new CudaDevice(cuda, 0);
      const { kernels, buffers } = await kernelsOfAbout(device, targetOf(info), [0.002]);
      const { module } = kernels[0];
      const rows = [];
      for (const number of [1, 10, 100, 1000, 1001]) {
        const first = timed(() => device.run(module, buffers, number, "cuda_graph"));
        const again = timed(() => device.run(module, buffers, number, "cuda_graph"));
        rows.push([
          number,
          first.ms.toFixed(2),
          again.ms.toFixed(2),
          (first.ms - again.ms).toFixed(2),
          ((again.value / number) * 1e3).toFixed(3),
        ]);
      }
      table(["runs", "first ms", "again ms", "graph made in ms", "us a run"], rows);
      return rows;
    },
  },

  nvml: {
    seconds: 40,
    async run() {
      const cuda = driver();
      const info = cuda.device(0);
      const nvml = openNvml(info.uuid);
      if (nvml === undefined) throw new Error("no management library");
      const cost = (work) => median(Array.from({ length: 10 }, () => timed(work).ms));
      table(
        ["query", "ms"],
        [
          ["observe", cost(() => nvml.observe()).toFixed(2)],
          ["energy", cost(() => nvml.totalEnergyMj()).toFixed(2)],
          ["sharing", cost(() => nvml.sharing()).toFixed(2)],
        ],
      );
      const device = new CudaDevice(cuda, 0, nvml);
      const { kernels, buffers } = await kernelsOfAbout(device, targetOf(info), [0.065]);
      const { module, codePath } = kernels[0];
      const values = { alone: [], asked: [] };
      for (let i = 0; i < 10; i++) {
        values.alone.push(device.run(module, buffers, 1540, "cuda_graph") / 1.54);
        // The device asks once a loaded module, in its first batch that is long enough.
        const fresh = device.load(module.manifest, codePath);
        device.run(fresh, buffers, 1, "cuda_graph");
        values.asked.push(device.run(fresh, buffers, 1540, "cuda_graph") / 1.54);
        fresh[Symbol.dispose]();
      }
      console.log(
        `100 ms batches: ${median(values.alone).toFixed(3)} us alone, ${median(values.asked).toFixed(3)} us while NVML is asked; spreads ${percent(spread(values.alone))}, ${percent(spread(values.asked))}`,
      );
      console.log(`observed under load: ${JSON.stringify(device.observe())}`);
      return values;
    },
  },

  deaths: {
    seconds: 90,
    async run() {
      const { host, build, run, startMs } = await hostWithReference();
      try {
        const good = await build("y[i] = x[i] + x[i];");
        const cases = [
          ["first good", good],
          ["second good", good],
          ["hang", await build("while (((volatile float *)x)[0] > -2.0f) {} y[i] = x[i];")],
          ["good after the hang", good],
          ["far out of bounds", await build("y[i + (1ll << 36)] = 1.0f;")],
          ["good after the fault", good],
          ["just out of bounds", await build("y[i] = 2.0f * x[i]; if (i == 0) y[65536] = 1.0f;")],
          ["input overwritten", await build("y[i] = 2.0f * x[i]; if (i == 7) x[9] = 3.0f;")],
          ["too many threads", await build("y[i] = 2.0f * x[i];", { block: [2048, 1, 1] })],
          [
            "too much shared",
            await build("extern __shared__ float s[]; s[threadIdx.x] = x[i]; y[i] = 2.0f * s[threadIdx.x];", {
              dynamic_shared_bytes: 300_000,
            }),
          ],
          [
            "shared by asking",
            await build("extern __shared__ float s[]; s[threadIdx.x] = x[i]; y[i] = 2.0f * s[threadIdx.x];", {
              dynamic_shared_bytes: 100_000,
            }),
          ],
          ["wrong answer", await build("y[i] = i == 777 ? 5.0f : 2.0f * x[i];")],
          ["nothing written", await build("if (i < 0) y[i] = 1.0f;")],
          ["trap", await build('asm("trap;"); y[i] = x[i];')],
          ["last good", good],
        ];
        const rows = [];
        for (const [name, artifact] of cases) rows.push([name, ...words(await run(artifact))]);
        console.log(`host with child and spare up in ${startMs.toFixed(0)} ms`);
        table(["candidate (run timeout 2 s)", "outcome", "wall ms"], rows);
        return { startMs, rows };
      } finally {
        await host[Symbol.asyncDispose]();
      }
    },
  },

  trials: {
    seconds: 60,
    async run() {
      const { host, build, run } = await hostWithReference();
      try {
        const walls = [];
        for (let i = 0; i < 30; i++) {
          const artifact = await build(`y[i] = x[i] * ${(2).toFixed(1)}f; /* ${i} */`);
          const { wallMs, busyMs, kind, message } = await run(artifact, { minRepeatMs: 100 });
          if (kind !== "timed") throw new Error(message);
          walls.push({ wallMs, busyMs, extraMs: wallMs - busyMs });
        }
        const rest = walls.slice(1);
        console.log(
          `a trial of 3 x 100 ms: wall ${ms(median(rest.map((w) => w.wallMs)), 1)}, on the device ${ms(median(rest.map((w) => w.busyMs)), 1)}, beyond ${ms(median(rest.map((w) => w.extraMs)), 1)} (first ${ms(walls[0].extraMs, 1)})`,
        );
        return walls;
      } finally {
        await host[Symbol.asyncDispose]();
      }
    },
  },
});
