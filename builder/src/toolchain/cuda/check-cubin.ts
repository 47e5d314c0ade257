/**
 * Checks that a cubin agrees with its program: the target, each launched kernel, the sizes of parameters, the shape of the
 * launch.
 */
import {
  type ArtifactManifest,
  dtypeBytes,
  err,
  type ManifestArg,
  type ManifestKernel,
  ok,
  parseTarget,
  type Refusal,
  type Result,
} from "@warpfarm/common";
import { type Cubin, type CubinLaunch, readCubin } from "./cubin.ts";

const launches = /^(?:__cuda_syscall_cnp|__cudaCDP|cudaLaunchDevice|cudaGetParameterBuffer|cnpLaunch)/;
const pointerBytes = 8;
const mapBytes = 128;

type Launched = Pick<ArtifactManifest, "kernels"> & Partial<Pick<ArtifactManifest, "buffers" | "constants">>;

/** The facts are the file's own. It does not report spills. */
export function checkCubin(
  code: Uint8Array,
  target: string,
  { kernels, buffers = [], constants = [] }: Launched,
): Result<ArtifactManifest["resources"], Refusal> {
  const refuse = (rule: string, why: string): Result<never, Refusal> => err({ rule, message: `${why} [${rule}]` });
  const read = readCubin(code);
  if (!read.ok) return refuse("cubin.file", `the cubin cannot be used: ${read.error}`);
  const cubin = read.value;
  const { level } = parseTarget(target);
  if (cubin.capability !== level)
    return refuse("cubin.target", `the cubin is for sm_${cubin.capability}; the program is for ${target}`);
  const launch = cubin.functions.find((name) => launches.test(name));
  if (launch !== undefined)
    return refuse("cubin.launches", `the code launches kernels from the device (it calls ${launch}), which is not supported`);
  for (const { name, args } of kernels) {
    const fault = kernelFault(cubin, name, args);
    if (fault !== undefined) return refuse("cubin.kernel", fault);
  }
  for (const kernel of kernels) {
    const fault = launchFault(kernel, cubin.kernels.find(({ name }) => name === kernel.name)?.launch);
    if (fault !== undefined) return refuse("cubin.launch", fault);
  }
  for (const { symbol, buffer } of constants) {
    const there = cubin.constants.get(symbol);
    const bytes = buffers.find(({ name }) => name === buffer)?.bytes ?? 0;
    if (there === undefined)
      return refuse(
        "cubin.constant",
        `there is no constant memory ${symbol} in the code; there is ${[...cubin.constants.keys()].join(", ") || "none"}`,
      );
    if (bytes > there)
      return refuse("cubin.constant", `${symbol} has ${there} bytes of constant memory; ${buffer}, which fills it, has ${bytes}`);
  }
  const launched = cubin.kernels.filter(({ name }) => kernels.some((each) => each.name === name));
  return ok({
    registers: Math.max(0, ...launched.map(({ registers }) => registers)),
    spill_bytes: 0,
    static_shared_bytes: Math.max(0, ...launched.map(({ staticSharedBytes }) => staticSharedBytes)),
  });
}

/**
 * The kernels by the symbols that the code has: a name that C++ changed stands for the only kernel of that name, in whatever
 * namespace.
 */
export function withSymbols<K extends { readonly name: string }>(code: Uint8Array, kernels: readonly K[]): readonly K[] {
  const read = readCubin(code);
  const there = read.ok ? read.value.kernels.map(({ name }) => name) : [];
  return kernels.map((kernel) => {
    const [only, ...others] = there.includes(kernel.name) ? [kernel.name] : unmangledAs(kernel.name, there);
    return only === undefined || others.length > 0 ? kernel : { ...kernel, name: only };
  });
}

const unmangledAs = (name: string, symbols: readonly string[]): readonly string[] =>
  symbols.filter((symbol) => plainNameOf(symbol) === name);

/** `k` of `_Z1kPf`, `_ZN2ns1kEPf` and `_Z1kIfEvPT_` (Itanium C++ ABI, 5.1). */
function plainNameOf(symbol: string): string | undefined {
  let rest = /^_ZN?[KVr]*(.*)$/.exec(symbol)?.[1];
  let last: string | undefined;
  while (rest !== undefined) {
    const [head, length] = /^L?(\d+)/.exec(rest) ?? [];
    if (head === undefined || length === undefined) break;
    last = rest.slice(head.length, head.length + Number(length));
    rest = symbol.startsWith("_ZN") ? rest.slice(head.length + Number(length)) : undefined;
  }
  return last;
}

function kernelFault({ kernels }: Cubin, name: string, args: readonly ManifestArg[]): string | undefined {
  const kernel = kernels.find((each) => each.name === name);
  if (kernel === undefined) {
    const there = kernels.map((each) => each.name);
    const alike = unmangledAs(name, there);
    if (alike.length > 1)
      return `the code has ${alike.length} kernels named ${name}: ${alike.join(", ")}; give the entry as one of these`;
    return `there is no kernel ${name} in the code; there are ${there.join(", ") || "none"}`;
  }
  const { parameters } = kernel;
  if (parameters === undefined) return undefined;
  if (parameters.length !== args.length)
    return `${name} takes ${parametersWords(parameters)}; the program gives it ${args.length}: ${args.map(wordsOf).join(", ")}`;
  const at = args.findIndex((arg, i) => bytesOf(arg) !== parameters[i]);
  const arg = args[at];
  return arg === undefined
    ? undefined
    : `${name}: parameter ${at + 1} of ${args.length} has ${parameters[at]} bytes; the program gives it ${wordsOf(arg)}`;
}

function launchFault(kernel: ManifestKernel, launch: CubinLaunch | undefined): string | undefined {
  const { name, grid, block, cluster, attributes = [] } = kernel;
  const [threads, blocks] = [product(block), product(cluster)];
  if (launch === undefined) return undefined;
  if (launch.mostThreads !== undefined && threads > launch.mostThreads)
    return `the block of ${name} is ${shape(block)}, ${threads} threads; its __launch_bounds__ allow ${launch.mostThreads}`;
  if (launch.block !== undefined && shape(block) !== shape(launch.block))
    return `the block of ${name} is ${shape(block)}; the kernel requires ${shape(launch.block)}`;
  if (launch.mostClusterBlocks !== undefined && blocks > launch.mostClusterBlocks)
    return `the cluster of ${name} has ${blocks} blocks; its __launch_bounds__ allow ${launch.mostClusterBlocks}`;
  if (launch.cluster !== undefined) {
    if (blocks > 1 && shape(cluster) !== shape(launch.cluster))
      return `the cluster of ${name} is ${shape(cluster)}; its __cluster_dims__ are ${shape(launch.cluster)}`;
    if (grid.some((extent, axis) => extent % (launch.cluster?.[axis] ?? 1) !== 0))
      return `the grid of ${name} is ${shape(grid)}, which is not a multiple of its __cluster_dims__ ${shape(launch.cluster)}`;
  }
  const isCooperative = attributes.some(({ kind }) => kind === "cooperative");
  return launch.isGridWide && !isCooperative
    ? `${name} waits for the whole grid (grid.sync()), which takes a cooperative launch: say "cooperative": true in kernels of the spec`
    : undefined;
}

const product = (extents: readonly number[]): number => extents.reduce((a, b) => a * b, 1);
const shape = (extents: readonly number[]): string => extents.join(" x ");

function parametersWords(bytes: readonly number[]): string {
  if (bytes.length === 0) return "no parameters";
  return bytes.length === 1 ? `1 parameter of ${bytes[0]} bytes` : `${bytes.length} parameters of ${bytes.join(", ")} bytes`;
}

function bytesOf(arg: ManifestArg): number {
  if (typeof arg === "string") return pointerBytes;
  if ("map" in arg) return mapBytes;
  return "bytes" in arg ? arg.bytes.length / 2 : dtypeBytes(arg.scalar, 1);
}

function wordsOf(arg: ManifestArg): string {
  if (typeof arg === "string") return `${arg} (an address, ${pointerBytes} bytes)`;
  if ("bytes" in arg) return `a structure (${bytesOf(arg)} bytes)`;
  return "map" in arg ? `map ${arg.map} (${mapBytes} bytes)` : `${arg.value} (${arg.scalar}, ${bytesOf(arg)} bytes)`;
}
