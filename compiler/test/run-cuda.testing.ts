/**
 * Runs CUDA text on this machine's GPU: a small main around the kernels, made by nvcc, as run-c.testing.ts has for the processor. It shares
 * nothing with the builder and the runner.
 *
 * Everything is done several times over, from the same beginning: buffers that are not given and all shared memory hold 0xff bytes. What
 * comes out must be the same every time, and the bytes around each buffer untouched.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TensorData } from "../src/interp/numeric.ts";
import type { DeviceText } from "../src/target/index.ts";
import { anyPointers, decodeAll, encodeAll, slotsOf } from "./run-c.testing.ts";

const exec = promisify(execFile);
const RUNS = 4;
/** A run takes milliseconds: it waits for itself. */
const HANGS_AFTER_MS = 60_000;

const mainText = ({ buffers }: DeviceText, launches: readonly string[]): string => `
static void check(cudaError_t code, const char *what) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s: %s\\n", what, cudaGetErrorString(code));
  exit(3);
}
extern __shared__ unsigned poisoned[];
__global__ void poison(int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) ((volatile unsigned *)poisoned)[i] = 0xffffffff;
}
int main(int argc, char **argv) {
  const int count = ${buffers.length};
  const size_t zone = 4096, bytes[] = {${buffers.map((b) => b.bytes).join(", ")}};
  char *memory[count], *given[count], *first[count];
  int processors, shared;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "processors");
  check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "shared memory");
  check(cudaFuncSetAttribute(poison, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "poison");
  FILE *in = fopen(argv[1], "rb");
  for (int i = 0; i < count; ++i) {
    given[i] = (char *)malloc(bytes[i]);
    first[i] = (char *)malloc(bytes[i]);
    if (fread(given[i], 1, bytes[i], in) != bytes[i]) return 1;
    check(cudaMalloc(&memory[i], bytes[i] + 2 * zone), "malloc");
    buffers[i] = memory[i] + zone;
  }
  for (int run = 0; run < ${RUNS}; ++run) {
    for (int i = 0; i < count; ++i) {
      check(cudaMemset(memory[i], 0xa5, bytes[i] + 2 * zone), "memset");
      check(cudaMemcpy(buffers[i], given[i], bytes[i], cudaMemcpyHostToDevice), "copy to the device");
    }
    poison<<<2 * processors, 1024, shared>>>(shared / 4);
${launches.join("\n")}
    check(cudaDeviceSynchronize(), "run");
    for (int i = 0; i < count; ++i) {
      char *all = (char *)malloc(bytes[i] + 2 * zone);
      check(cudaMemcpy(all, memory[i], bytes[i] + 2 * zone, cudaMemcpyDeviceToHost), "copy to the host");
      for (size_t at = 0; at < 2 * zone; ++at)
        if (all[at < zone ? at : at + bytes[i]] != (char)0xa5) {
          fprintf(stderr, "wrote outside of buffer %d\\n", i);
          return 4;
        }
      if (run == 0) memcpy(first[i], all + zone, bytes[i]);
      else if (memcmp(first[i], all + zone, bytes[i]) != 0) {
        fprintf(stderr, "buffer %d is another after run %d\\n", i, run);
        return 5;
      }
      free(all);
    }
  }
  FILE *out = fopen(argv[2], "wb");
  for (int i = 0; i < count; ++i) fwrite(first[i], 1, bytes[i], out);
  fclose(out);
  return 0;
}
`;

export interface GpuRunOptions {
  /** Also under compute-sanitizer's racecheck: accesses to shared memory that no barrier orders. */
  readonly racecheck?: boolean;
}

/** All buffers after a run. Throws with what nvcc, the program or the sanitizer said. */
export async function runCudaOnGpu(
  text: DeviceText,
  given: ReadonlyMap<string, TensorData>,
  { racecheck = false }: GpuRunOptions = {},
): Promise<Map<string, TensorData>> {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-cu-"));
  const path = (name: string) => join(dir, name);
  const options = { timeout: HANGS_AFTER_MS, killSignal: "SIGKILL" } as const;
  const slots = slotsOf(text);
  const launches = text.kernels.map(({ name, grid, block, dynamic_shared_bytes: shared }, i) => {
    const attribute = `check(cudaFuncSetAttribute(${name}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared}), "${name}");`;
    const launch = `${name}<<<dim3(${grid.join(", ")}), dim3(${block.join(", ")}), ${shared}>>>(${slots[i]?.join(", ")});`;
    return `    ${shared > 0 ? `${attribute} ` : ""}${launch}\n    check(cudaGetLastError(), "launch of ${name}");`;
  });
  try {
    const headers = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
    writeFileSync(path("main.cu"), `${headers}${text.text}\n${anyPointers}${mainText(text, launches)}`);
    await exec("nvcc", ["-arch=native", "-o", path("run"), path("main.cu")], options);
    writeFileSync(path("in"), encodeAll(text, given));
    await exec(path("run"), [path("in"), path("out")], options);
    if (racecheck)
      await exec(
        "compute-sanitizer",
        ["--tool", "racecheck", "--error-exitcode", "6", path("run"), path("in"), path("out")],
        options,
      );
    return decodeAll(text, readFileSync(path("out")));
  } catch (error) {
    const { stdout = "", stderr = "", message, killed } = error as Error & { stdout?: string; stderr?: string; killed?: boolean };
    throw new Error(`${killed ? "hangs: " : ""}${message}\n${stderr}${stdout}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
