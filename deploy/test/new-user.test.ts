/**
 * Six computations of somebody new, written in files of their own (examples/computations): each is checked, tuned on a farm, and
 * taken home as C. The best kernel's answers are compared with loops written here by hand.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Random } from "@warpfarm/common";
import koffi from "koffi";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { has, needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { quickTune } from "./faults/campaign.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import { Place } from "./warpfarm-process.ts";

const farm = new ProcessFarm();
beforeAll(async () => {
  if (has("cc")) await farm.start();
}, 300_000);
afterAll(() => farm[Symbol.asyncDispose]());

type Numbers = Float32Array | Int32Array | Int8Array;
interface Computation {
  readonly args: { readonly [name: string]: number };
  readonly configs: number;
  readonly inputs: readonly Numbers[];
  readonly output: Numbers;
  /** Element `at` of the output, of the inputs in order. */
  readonly element: (at: number, ...inputs: readonly Numbers[]) => number;
}

const random = new Random(40);
const floats = (count: number) => Float32Array.from({ length: count }, () => random.float() * 4 - 2);
const bytes = (count: number) => Int8Array.from({ length: count }, () => random.below(256) - 128);
const sumOf = (count: number, term: (i: number) => number): number => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += term(i);
  return sum;
};
const read = (x: Numbers | undefined, at: number): number => x?.[at] ?? Number.NaN;

const computations: { readonly [file: string]: Computation } = {
  "batched-product": {
    args: { batch: 3, rows: 10, columns: 12, depth: 17 },
    configs: 3,
    inputs: [floats(3 * 10 * 17), floats(3 * 17 * 12), floats(12)],
    output: new Float32Array(3 * 10 * 12),
    element: (at, a, b, bias) => {
      const [n, i, j] = [Math.floor(at / 120), Math.floor(at / 12) % 10, at % 12];
      const x = sumOf(17, (k) => read(a, (n * 10 + i) * 17 + k) * read(b, (n * 17 + k) * 12 + j)) + read(bias, j);
      return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
    },
  },
  "causal-conv1d": {
    args: { batch: 2, steps: 19, channels: 8, taps: 4 },
    configs: 2,
    inputs: [floats(2 * 19 * 8), floats(4 * 8)],
    output: new Float32Array(2 * 19 * 8),
    element: (at, x, w) => {
      const [n, t, c] = [Math.floor(at / 152), Math.floor(at / 8) % 19, at % 8];
      // Tap 3 is the present, tap 0 three steps ago.
      return sumOf(4, (k) => (t - 3 + k < 0 ? 0 : read(x, (n * 19 + t - 3 + k) * 8 + c) * read(w, k * 8 + c)));
    },
  },
  "row-softmax": {
    args: { rows: 14, columns: 33 },
    configs: 3,
    inputs: [floats(14 * 33)],
    output: new Float32Array(14 * 33),
    element: (at, x) => {
      const row = Math.floor(at / 33) * 33;
      return Math.exp(read(x, at)) / sumOf(33, (k) => Math.exp(read(x, row + k)));
    },
  },
  "int8-scales": {
    args: { rows: 9, columns: 16, depth: 37 },
    configs: 3,
    inputs: [bytes(9 * 37), bytes(37 * 16), floats(9), floats(16)],
    output: new Float32Array(9 * 16),
    element: (at, a, b, ofRow, ofColumn) => {
      const [i, j] = [Math.floor(at / 16), at % 16];
      return sumOf(37, (k) => read(a, i * 37 + k) * read(b, k * 16 + j)) * read(ofRow, i) * read(ofColumn, j);
    },
  },
  argmax: {
    args: { rows: 12, columns: 40 },
    configs: 3,
    // Of few values, so that rows have their greatest several times.
    inputs: [Float32Array.from({ length: 12 * 40 }, () => random.below(9))],
    output: new Int32Array(12),
    element: (at, x) => {
      const row = Array.from({ length: 40 }, (_, k) => read(x, at * 40 + k));
      return row.indexOf(Math.max(...row));
    },
  },
  conv3d: {
    args: { input: 3, output: 4, size: 7 },
    configs: 4,
    inputs: [floats(3 * 343), floats(4 * 3 * 27)],
    output: new Float32Array(4 * 343),
    element: (at, x, w) => {
      const [o, ...place] = [Math.floor(at / 343), Math.floor(at / 49) % 7, Math.floor(at / 7) % 7, at % 7];
      return sumOf(3 * 27, (tap) => {
        const offsets = [Math.floor(tap / 9) % 3, Math.floor(tap / 3) % 3, tap % 3];
        const [z = -1, y = -1, column = -1] = place.map((p, d) => p + (offsets[d] ?? 0) - 1);
        if ([z, y, column].some((p) => p < 0 || p > 6)) return 0;
        return read(x, ((Math.floor(tap / 27) * 7 + z) * 7 + y) * 7 + column) * read(w, o * 81 + tap);
      });
    },
  },
};

/** Calls the kernel of a C text. */
function called(text: string, place: Place, file: string, tensors: readonly Numbers[]): void {
  const kernels = [...text.matchAll(/^void (\w+)\(void \*const \*args\)/gm)].map(([, name]) => name ?? "");
  expect(kernels).toHaveLength(1);
  writeFileSync(place.path(`${file}.c`), text);
  execFileSync("cc", ["-O1", "-fopenmp", "-shared", "-fPIC", "-o", place.path(`${file}.so`), place.path(`${file}.c`), "-lm"]);
  const kernel = koffi.load(place.path(`${file}.so`)).func(`void ${kernels[0]}(void *args)`);
  kernel(BigUint64Array.from(tensors, (tensor) => koffi.address(tensor)));
}

test.for(Object.entries(computations))(
  "%s is sound, is tuned, and its best kernel is right",
  { timeout: 600_000 },
  async ([file, each], ctx) => {
    needs(ctx, "cc");
    const { args, configs, inputs, output, element } = each;
    const place = new Place({ WARPFARM_TRACKER: farm.address });
    onTestFinished(() => place[Symbol.dispose]());
    copyFileSync(fileURLToPath(new URL(`../../examples/computations/${file}.ts`, import.meta.url)), place.path(`${file}.ts`));
    const said = async (...argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await command(place, argv);
      expect(code, `${argv.join(" ")}\n${stderr}`).toBe(0);
      return stdout;
    };
    const what = [`./${file}.ts`, "--args", JSON.stringify(args)];
    expect(await said("check", ...what)).toContain(` ${configs} sound, 0 faulty, 0 refused by the static check\n`);
    const tuned = JSON.parse(await said("tune", ...what, "--trials", "1", "--log", "log.jsonl", "--json", ...quickTune));
    expect(tuned).toMatchObject({ trials: 1, errors: { NO_ERROR: 1 } });
    const text = await said("best", "log.jsonl", "--task", `./${file}.ts`, "--emit", "c");
    output.fill(-77);
    called(text, place, file, [...inputs, output]);
    const expected = Array.from(output, (_, at) => element(at, ...inputs));
    const wrong = expected.findIndex((value, at) => !(Math.abs(read(output, at) - value) <= 1e-5 + 1e-4 * Math.abs(value)));
    expect([wrong, read(output, wrong), expected[wrong]]).toEqual([-1, Number.NaN, undefined]);
    expect(readFileSync(place.path("log.jsonl"), "utf8")).toContain('"sequence":1');
  },
);
