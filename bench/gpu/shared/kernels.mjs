/** Artifacts for GPU scripts: hand-written CUDA text, built by this machine's own toolchain, with manifests. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cudaHomes, findToolchains } from "../../../builder/dist/index.js";
import { openToolchain } from "../../../builder/dist/toolchain/index.js";
import { canonicalJson, digestOf, dtypeBytes, toArtifactDigest, toProgramDigest } from "../../../common/dist/index.js";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-gpu-"));
let files = 0;
let found;

/** NVRTC when it is here, else nvcc; throws with the reasons. */
export async function cudaToolchain() {
  found ??= await findToolchains(process.env.PATH ?? "", tmpdir(), cudaHomes(process.env));
  const facts = found.toolchains.find(({ kind }) => kind !== "cc");
  if (facts === undefined) throw new Error(found.missing.join("; "));
  return openToolchain(facts);
}

export const tensor = (name, role, dtype, shape, reduction = 1) => {
  const bytes = dtypeBytes(
    dtype,
    shape.reduce((a, b) => a * b, 1),
  );
  return { name, dtype, shape, bytes, align: 64, role, reduction };
};

/**
 * Compiles text to a cubin; `over` replaces launch numbers of the one kernel.
 * @returns {Promise<import("./device-host.mjs").LocalArtifact>}
 */
export async function compileText(toolchain, text, target, buffers, over = {}) {
  const directory = mkdtempSync(join(scratch, "job-"));
  const compiled = await toolchain.compile({
    text: { language: "cuda", text, kernels: [], buffers: [], notes: [] },
    target,
    directory,
    timeoutMs: 60_000,
  });
  if (!compiled.ok) throw new Error(`${compiled.message}\n${compiled.log}`);
  /** @type {import("@warpfarm/common").ManifestKernel} */
  const kernel = {
    name: "kernel",
    grid: [1, 1, 1],
    block: [1, 1, 1],
    dynamic_shared_bytes: 0,
    cluster: [1, 1, 1],
    args: buffers.map((b) => b.name),
    ...over,
  };
  const codePath = join(scratch, `${files++}.cubin`);
  writeFileSync(codePath, compiled.code);
  /** @type {import("@warpfarm/common").ArtifactManifest} */
  const manifest = {
    version: 1,
    program: toProgramDigest(digestOf(text)),
    target,
    format: "cubin",
    code: digestOf(compiled.code),
    kernels: [kernel],
    buffers,
    resources: compiled.resources,
    toolchain: toolchain.facts.id,
    notes: [],
  };
  return { digest: toArtifactDigest(digestOf(canonicalJson(manifest))), manifest, codePath };
}
