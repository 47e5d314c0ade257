/** `check` of a user's kernel with a scripted compiler: what is found before compiling, and in the code. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArtifactManifest, type FailedResult, FarmError } from "@warpfarm/common";
import { decodeProgram } from "@warpfarm/compiler";
import { expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import type { BuiltHere, CliContext } from "../context.ts";

const spec = {
  problem: { n: 1000 },
  tunables: { BLOCK: [64, 1024] },
  args: [
    { name: "c", dtype: "float32", shape: ["n"], role: "out" },
    { name: "a", dtype: "float32", shape: ["n"] },
    { scalar: "int32", value: "n" },
  ],
  kernels: [{ entry: "f", grid: ["n"], block: ["BLOCK"] }],
};
const text = 'extern "C" __global__ void f(float *c, const float *a, int n) {}\n';

function kernelIn(change: object = {}, code = text): string {
  const cwd = scratch();
  writeFileSync(join(cwd, "k.cu"), code);
  writeFileSync(join(cwd, "k.json"), JSON.stringify({ ...spec, ...change }));
  return cwd;
}

/** Makes code with these resources, and keeps the requests. */
function compiler(resources: Partial<ArtifactManifest["resources"]> = {}): {
  buildHere: CliContext["buildHere"];
  blocks: number[];
} {
  const blocks: number[] = [];
  const buildHere = async (program: { bytes: Uint8Array }): Promise<BuiltHere> => {
    const decoded = decodeProgram(program.bytes);
    if (!decoded.ok || decoded.value.kind !== "cuda_source") throw new Error("no CUDA source");
    const kernels = decoded.value.kernels.map(({ entry: name, block, grid, cluster, shared_bytes }) => {
      blocks.push(block[0]);
      return { name, block, grid, cluster, dynamic_shared_bytes: shared_bytes, args: [] };
    });
    const manifest = { kernels, notes: [], resources: { registers: 32, spill_bytes: 8, static_shared_bytes: 16, ...resources } };
    return { kind: "built", manifest: manifest as unknown as ArtifactManifest, code: new Uint8Array(), buildMs: 1 };
  };
  return { buildHere, blocks };
}

test("configs are compiled, and what they take is told; that nothing ran is said", async () => {
  const { buildHere, blocks } = compiler();
  const said = await runCli(["check", "./k.cu"], { cwd: kernelIn(), buildHere });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(said.stdout).toMatch(
    /^config 0: sound: 32 registers, 8 bytes spilled, 16 bytes of static shared memory\nconfig 1: sound.*\nk \[.*\] for cuda\/sm_90: 2 sound, 0 faulty, 0 refused by limits\nno config was run: .*warpfarm measure \.\/k\.cu --index N/,
  );
  expect(blocks).toEqual([64, 1024]);
});

test("a block that needs more registers or shared memory than there are is refused by the limits", async () => {
  const registers = await runCli(["check", "./k.cu", "--json"], { cwd: kernelIn(), ...compiler({ registers: 65 }) });
  expect(JSON.parse(registers.stdout)).toMatchObject({
    sound: 1,
    refused: 1,
    configs: [
      { index: 0, state: "sound" },
      // 72 registers are allocated to each of 1024 threads.
      { index: 1, state: "refused", message: expect.stringMatching(/takes 73728; a block may have 65536 \[gpu\.registers\]$/) },
    ],
  });
  const cwd = kernelIn({ kernels: [{ ...spec.kernels[0], shared_bytes: 200 * 1024 }] });
  const shared = await runCli(["check", "./k.cu"], { cwd, ...compiler({ static_shared_bytes: 28 * 1024 }) });
  expect(shared.code).toBe(1);
  expect(shared.stdout).toMatch(
    /config 0: refused: static and dynamic shared memory are 233472 bytes; .* allows 232448 \[gpu\.s/,
  );
});

test("a launch that the code does not allow is refused, and a search would meet it as any other config", async () => {
  const { buildHere: made } = compiler();
  const message = "the block of f is 1024 x 1 x 1, 1024 threads; its __launch_bounds__ allow 128 [cubin.launch]";
  const buildHere: CliContext["buildHere"] = async (program, options) => {
    const built = await made(program, options);
    if (built.kind === "failed" || built.manifest.kernels[0]?.block[0] === 64) return built;
    const result = { kind: "failed", errorNo: 3, rule: "cubin.launch", message } as FailedResult;
    return { kind: "failed", result };
  };
  const said = await runCli(["check", "./k.cu"], { cwd: kernelIn(), buildHere });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(said.stdout).toContain(`config 1: refused: COMPILE_DEVICE: ${message}\n`);
  expect(said.stdout).toMatch(/: 1 sound, 0 faulty, 1 refused by limits\n/);
});

test("mistakes of arguments and of the reference are found without a compiler", async () => {
  const wrong = await runCli(["check", "./k.cu"], { cwd: kernelIn({}, text.replace("int n", "float n")) });
  expect(wrong.code).toBe(4);
  expect(wrong.stdout).toMatch(
    /^config 0: faulty: parameter 3 of f is float n, .* as int32 \[kernel\.argument\]\nconfig 1: faulty/,
  );
  const cwd = kernelIn({ reference: { kernel: "./plain.cu" } });
  writeFileSync(join(cwd, "plain.cu"), text);
  const args = [{ ...spec.args[0], shape: [7] }, ...spec.args.slice(1)];
  writeFileSync(join(cwd, "plain.json"), JSON.stringify({ ...spec, args }));
  const other = await runCli(["check", "./k.cu", "--index", "0"], { cwd });
  expect(other.stdout).toMatch(
    /^config 0: faulty: c cannot be compared with the reference: it is float32 \[7\] in the reference, and float32 \[1000\] in the kernel \[kernel\.reference\]/,
  );
  const grid = kernelIn({ kernels: [{ entry: "f", grid: ["n / BLOCK * 8 / 125"], block: ["BLOCK"] }] });
  const half = await runCli(["check", "./k.cu"], { cwd: grid, ...compiler() });
  expect(half.code).toBe(4);
  expect(half.stdout).toMatch(
    /config 1: faulty: k\.json:1: kernels\[0\]\.grid\[0\]: .* is 0\.0625; a whole number from 1 on \[kernel\.spec\]/,
  );
  const clusters = kernelIn({ kernels: [{ ...spec.kernels[0], cluster: ["BLOCK // 64"] }], tunables: { BLOCK: [64, 192] } });
  const cluster = await runCli(["check", "./k.cu"], { cwd: clusters, ...compiler() });
  expect(cluster.stdout).toMatch(/1 sound, 0 faulty, 1 refused/);
  expect(cluster.stdout).toMatch(
    /config 1: refused: the cluster of "f" is 3 x 1 x 1; its grid is 1000 x 1 x 1, which .*\[kernel\.cl/,
  );
});

test("tunables without effect are told once, before a config is judged", async () => {
  const program = "source.tunables";
  const { buildHere, blocks } = compiler();
  const idle = { rule: program, message: "the tunable FAST changes neither the text nor the launch" };
  const noted: CliContext["buildHere"] = async (...asked) => {
    const built = await buildHere(...asked);
    return built.kind === "built" ? { ...built, manifest: { ...built.manifest, notes: [idle] } } : built;
  };
  const said = await runCli(["check", "./k.cu", "--index", "1"], { cwd: kernelIn(), buildHere: noted });
  expect([said.code, said.stderr, blocks]).toEqual([0, `note: ${idle.message}\n`, [64, 1024]]);
  expect(said.stdout).toMatch(/^config 1: sound/);
  const result = { kind: "failed", errorNo: 3, rule: program, message: "k.cu:1 defines BLOCK [source.tunables]" };
  let builds = 0;
  const refusing = async (): Promise<BuiltHere> => {
    builds++;
    return { kind: "failed", result: result as unknown as FailedResult };
  };
  const refused = await runCli(["check", "./k.cu", "--index", "1"], { cwd: kernelIn(), buildHere: refusing });
  expect([refused.code, builds]).toEqual([4, 1]);
  expect(refused.stdout).toMatch(/^config 0: faulty: COMPILE_DEVICE: k\.cu:1 defines BLOCK/);
});

test("what the compiler refuses is told with its log; without one that is said, after what was found", async () => {
  const result = { kind: "failed", errorNo: 3, rule: "front_end", message: "k.cu(1): error: no", log: "k.cu(1): error: no\n^" };
  const buildHere = async (): Promise<BuiltHere> => ({ kind: "failed", result: result as unknown as FailedResult });
  const broken = await runCli(["check", "./k.cu", "--index", "1"], { cwd: kernelIn(), buildHere });
  expect(broken).toMatchObject({ code: 4, stderr: "k.cu(1): error: no\n^\n" });
  expect(broken.stdout).toMatch(/^config 1: faulty: COMPILE_DEVICE: k\.cu\(1\): error: no \[front_end\]\n/);
  const absent = () => Promise.reject(new FarmError("FAILED_PRECONDITION", "nvcc is not there; install it"));
  const none = await runCli(["check", "./k.cu"], { cwd: kernelIn(), buildHere: absent });
  expect([none.code, oneSentence(none)]).toEqual([2, expect.stringMatching(/nvcc is not there; install it$/)]);
});
