/** Artifacts of hand-written C for tests, compiled by the system's compiler, with matching manifests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArtifactManifest,
  canonicalJson,
  type DType,
  digestOf,
  dtypeBytes,
  type ManifestBuffer,
  toArtifactDigest,
  toProgramDigest,
} from "@warpfarm/common";
import type { LocalArtifact } from "../runner/src/worker/messages.ts";

export function tensor(
  name: string,
  role: ManifestBuffer["role"],
  dtype: DType,
  shape: readonly number[],
  reduction = 1,
): ManifestBuffer {
  const count = shape.reduce((n, d) => n * d, 1);
  return { name, dtype, shape, bytes: dtypeBytes(dtype, count), align: 64, role, reduction };
}

/** By text: most tests want the same good kernel, with one that is not. */
const compiled = new Map<string, Buffer>();

function compile(text: string, base: string): Buffer {
  writeFileSync(`${base}.c`, text);
  execFileSync("cc", ["-O1", "-fopenmp", "-shared", "-fPIC", "-o", `${base}.so`, `${base}.c`]);
  const code = readFileSync(`${base}.so`);
  compiled.set(text, code);
  return code;
}

/** A folder for compiled kernels; dispose of it after the tests. */
export class KernelFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "warpfarm-kernels-"));
  #count = 0;

  /** `body` is the body of `void kernel(void *const *args)`; it sees a0, a1, ... as char pointers. */
  build(buffers: readonly ManifestBuffer[], body: string, { before = "" }: { readonly before?: string } = {}): LocalArtifact {
    const base = join(this.path, `k${this.#count++}`);
    const names = buffers.map((_, i) => `  char *a${i} = args[${i}]; (void)a${i};`).join("\n");
    const text = `${before}\n__attribute__((visibility("default"))) void kernel(void *const *args) {\n${names}\n${body}\n}\n`;
    return this.artifact(buffers, compiled.get(text) ?? compile(text, base), "kernel");
  }

  /** A shared object of which this is the kernel. */
  artifact(buffers: readonly ManifestBuffer[], code: Buffer, name: string): LocalArtifact {
    const base = join(this.path, `a${this.#count++}`);
    writeFileSync(`${base}.so`, code);
    const manifest: ArtifactManifest = {
      version: 1,
      program: toProgramDigest(digestOf(Buffer.concat([code, Buffer.from(name)]))),
      target: "cpu/x86-64-v1",
      format: "so",
      code: digestOf(code),
      kernels: [
        {
          name,
          grid: [1, 1, 1],
          block: [1, 1, 1],
          dynamic_shared_bytes: 0,
          cluster: [1, 1, 1],
          args: buffers.map((b) => b.name),
        },
      ],
      buffers,
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "cc",
      notes: [],
    };
    return { digest: toArtifactDigest(digestOf(canonicalJson(manifest))), manifest, codePath: `${base}.so` };
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
