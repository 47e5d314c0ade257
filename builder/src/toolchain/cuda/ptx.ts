/**
 * PTX of one program, by nvcc, for export: the user's driver compiles it for its own GPU. Measurements never use it; they time
 * cubins. The program is the user's own, so it is compiled without a sandbox.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArtifactManifest,
  badInput,
  defined,
  digestOf,
  type FailedResult,
  FarmError,
  measureErrorNo,
  type ProgramBytes,
  type Refusal,
} from "@warpfarm/common";
import type { DeviceText } from "@warpfarm/compiler";
import { runLimited } from "../collect.ts";
import { cudaTextOf } from "./compile-cuda.ts";
import { filesOf } from "./find-libraries.ts";
import { findNvcc } from "./nvcc.ts";

interface PtxOptions {
  readonly searchPath: string;
  readonly cudaHomes: readonly string[];
  readonly timeoutMs: number;
}

type PtxBuilt =
  | { readonly kind: "built"; readonly manifest: ArtifactManifest; readonly code: Uint8Array }
  | (Refusal & { readonly kind: "failed"; readonly errorNo: FailedResult["errorNo"]; readonly log: string });

/** Throws FarmError: FAILED_PRECONDITION without nvcc, INVALID_ARGUMENT when the program cannot be read. */
export async function buildPtx(program: ProgramBytes, { searchPath, cudaHomes, timeoutMs }: PtxOptions): Promise<PtxBuilt> {
  // A builder, whose children compile, does not load the compiler.
  const { compileProgram, decodeProgram } = await import("@warpfarm/compiler");
  const decoded = decodeProgram(program.bytes);
  if (!decoded.ok) throw badInput(`the program does not decode: ${decoded.error.message}`);
  const { target } = decoded.value;
  if (decoded.value.kind === "cuda_source" && decoded.value.bundles !== undefined)
    throw badInput("text that includes folders of headers is not compiled to PTX; export a cubin");
  const text = compileProgram(decoded.value);
  if (!text.ok) return failed(text.error.errorNo, text.error);
  const directory = await mkdtemp(join(tmpdir(), "warpfarm-ptx-"));
  try {
    const nvcc = await findNvcc(searchPath, { homes: cudaHomes, list: filesOf }, directory);
    if (!nvcc.ok) throw new FarmError("FAILED_PRECONDITION", `PTX needs nvcc of the CUDA toolkit: ${nvcc.error}`);
    const source = decoded.value.kind === "cuda_source" ? { source: decoded.value } : {};
    const cuda = cudaTextOf({ text: text.value, ...source, clientText: "all", target, directory, timeoutMs });
    if (!cuda.ok) return failed(measureErrorNo.COMPILE_DEVICE, cuda.error);
    const { architecture, fileName, headers, flags } = cuda.value;
    for (const [name, content] of Object.entries({ ...headers, [fileName]: cuda.value.text }))
      await writeFile(join(directory, name), content);
    const args = ["-ptx", `-arch=${architecture}`, "-std=c++17", "-I.", ...flags, "-o", "out.ptx", fileName];
    const limits = { directory, searchPath, logBytes: 64 * 1024, timeoutMs };
    const { code, output } = await runLimited(nvcc.value.path, args, limits);
    const log = output.replaceAll(`${directory}/`, "");
    if (code !== 0) {
      const first = log.split("\n").find((line) => line.includes("error")) ?? `nvcc exited with code ${code}`;
      return failed(measureErrorNo.COMPILE_DEVICE, { rule: "toolchain", message: first.slice(0, 1024), log });
    }
    const ptx = await readFile(join(directory, "out.ptx"));
    return { kind: "built", manifest: manifestOf(program, target, text.value, ptx, nvcc.value.id), code: ptx };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function manifestOf(
  program: ProgramBytes,
  target: string,
  text: DeviceText,
  code: Uint8Array,
  toolchain: string,
): ArtifactManifest {
  const { kernels, buffers, maps, notes } = text;
  return {
    version: 1,
    program: program.digest,
    target,
    format: "ptx",
    code: digestOf(code),
    kernels,
    buffers,
    ...defined({ maps }),
    // A driver determines these when it compiles the text.
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain,
    notes,
  };
}

const failed = (
  errorNo: FailedResult["errorNo"],
  { rule, message, log = "" }: Refusal & { readonly log?: string },
): PtxBuilt => ({
  kind: "failed",
  errorNo,
  rule,
  message,
  log,
});
