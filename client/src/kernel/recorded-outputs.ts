/**
 * Recorded outputs as a reference program: it copies blobs into the outputs, and runs like every reference.
 */
import { comparedShape, dtypeBytes, err, ok, own, type ProgramBytes, type Result } from "@warpfarm/common";
import { type CudaSourceArg, type CudaSourceKernel, encodeDocument } from "@warpfarm/compiler/language";
import { misfit } from "./tensor-file.ts";
import type { ValuesByName } from "./tensor-values.ts";

const text = `// Gives an output what was recorded of it.
extern "C" __global__ void recorded(unsigned char *to, const unsigned char *from, long long bytes) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += step) to[i] = from[i];
}
`;
const threads = 256;
const mostBlocks = 1024;

/** `tensors`: the kernel's own, which keep their contents. The error names the file and the tensor. */
export function recordedOutputs(
  target: string,
  tensors: readonly CudaSourceArg[],
  values: ValuesByName,
): Result<ProgramBytes, string> {
  const names = new Set(tensors.map(({ name }) => name));
  const kernels: CudaSourceKernel[] = [];
  const recorded: CudaSourceArg[] = [];
  // Recorded outputs of parts are their sums.
  const whole = tensors.map(({ sum_over: _, ...tensor }, i) => ({
    ...tensor,
    shape: comparedShape(tensors[i] as CudaSourceArg),
  }));
  for (const tensor of whole) {
    const { name, dtype, shape, role } = tensor;
    if (role !== "out" && role !== "inout") continue;
    const given = own(values, name);
    if (given === undefined) return err(`the output ${name} has no values; name a file for it`);
    const why = misfit(given, tensor);
    if (why !== undefined) return err(`${given.word} ${why}`);
    const elements = shape.reduce((product, extent) => product * extent, 1);
    const bytes = dtypeBytes(dtype, elements);
    const from = unusedName(`recorded_${name}`.slice(0, 60), names);
    recorded.push({ name: from, dtype, shape, role: "workspace", fill: { kind: "blob", digest: given.digest } });
    kernels.push({
      entry: "recorded",
      grid: [Math.min(mostBlocks, Math.ceil(bytes / threads)), 1, 1],
      block: [threads, 1, 1],
      cluster: [1, 1, 1],
      shared_bytes: 0,
      args: [name, from, { scalar: "int64", value: String(bytes) }],
    });
  }
  const code = { files: { "recorded.cu": text }, defines: {}, flags: [] };
  return ok(encodeDocument({ version: 6, kind: "cuda_source", target, ...code, kernels, args: [...whole, ...recorded] }));
}

function unusedName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
  taken.add(name);
  return name;
}
