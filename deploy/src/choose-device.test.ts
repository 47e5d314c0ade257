import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { chooseDevice, lookHere, type SeenHere } from "./choose-device.ts";

const gpu = { device: "cuda:0", name: "NVIDIA H100", key: "cuda/sm_90", driver: "580" };
const toolchain = { kind: "found", id: "nvrtc 13.0", targets: ["cuda/sm_80", "cuda/sm_90"] } as const;
const noToolkit = { kind: "missing", why: "no NVRTC; no nvcc" } as const;
const here = (gpus: readonly object[], over: object = {}): SeenHere =>
  ({ seen: { kind: "gpus", gpus }, toolchain, ...over }) as SeenHere;
const noDriver: SeenHere = { seen: { kind: "none", why: "no libcuda", advice: "install the driver" }, toolchain: noToolkit };

const choose = async (choice: Parameters<typeof chooseDevice>[0], seen: SeenHere, isOnly = false) => {
  const notices: string[] = [];
  let looks = 0;
  const look = async () => {
    looks++;
    return seen;
  };
  const device = await chooseDevice(choice, {}, { notice: (text) => notices.push(text), look, isOnlyGpu: () => isOnly });
  return { device, notices, looks };
};

describe("the device of an embedded farm", () => {
  test("is the first GPU that can be used", async () => {
    const others = here([
      { ...gpu, refusal: { why: "is in use by process 7", advice: "free it" } },
      { ...gpu, device: "cuda:1" },
    ]);
    for (const choice of ["auto", "cuda"] as const)
      expect(await choose(choice, others)).toMatchObject({ device: "cuda:1", notices: [] });
  });
  test.each([
    [noDriver, /no libcuda/],
    [here([gpu], { toolchain: noToolkit }), /cuda:0: nothing here compiles CUDA: no NVRTC; no nvcc/],
    [here([{ ...gpu, key: "cuda/sm_70" }]), /nvrtc 13\.0 does not compile for cuda\/sm_70, only for cuda\/sm_80, cuda\/sm_90/],
    [here([{ ...gpu, refusal: { why: "is a MIG device", advice: "serve it" } }]), /cuda:0: is a MIG device/],
  ])("is the processor when no GPU can be used, with the reason; a task that needs one is refused with it %#", async (seen, why) => {
    const { device, notices } = await choose("auto", seen);
    expect(device).toBe("cpu");
    expect(notices).toEqual([expect.stringMatching(why)]);
    await expect(choose("cuda", seen)).rejects.toThrow(why);
    await expect(choose("cuda", seen)).rejects.toThrow("; warpfarm tune --tracker host:port measures on a farm");
  });
  test("is looked for only when it is not named", async () => {
    expect(await choose("cpu", here([gpu]))).toEqual({ device: "cpu", notices: [], looks: 0 });
    expect(await choose("cuda:3", noDriver)).toEqual({ device: "cuda:3", notices: [], looks: 0 });
  });
  test("is the only GPU without a look where a GPU is required", async () => {
    expect(await choose("cuda", noDriver, true)).toEqual({ device: "cuda:0", notices: [], looks: 0 });
    expect(await choose("auto", noDriver, true)).toMatchObject({ device: "cpu", looks: 1 });
  });
});

describe("looking", () => {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-look-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  test.each([
    ["throws", "throw new Error('libfoo is broken')", /failed \(exit code 1\): Error: libfoo is broken/],
    ["crashes", "process.kill(process.pid, 'SIGSEGV'); setTimeout(() => {}, 1e4)", /failed \(SIGSEGV\)/],
    ["says something else", "console.log('hello')", /^looking for GPUs gave no answer: hello$/],
    ["ends with nothing", "console.log('null')", /^looking for GPUs gave no answer: null$/],
    ["ends with a number", "console.log('7')", /^looking for GPUs gave no answer: 7$/],
  ])("a look that %s is a machine without a GPU, for that reason", async (name, text, why) => {
    const module = join(directory, `${name}.mjs`);
    writeFileSync(module, text);
    expect((await lookHere({ PATH: process.env.PATH }, module)).seen).toMatchObject({
      kind: "none",
      why: expect.stringMatching(why),
    });
  });
  test("what a library prints before the answer is not the answer", async () => {
    const module = join(directory, "noisy.mjs");
    writeFileSync(module, `console.log("libfoo 1.2"); console.log(${JSON.stringify(JSON.stringify(noDriver))});`);
    expect(await lookHere({ PATH: process.env.PATH }, module)).toEqual(noDriver);
  });
  test("this machine answers", async () => {
    expect((await lookHere(process.env)).seen.kind).toMatch(/^(?:gpus|none)$/);
  });
});
