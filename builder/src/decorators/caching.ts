/**
 * Reuses earlier builds, also those of an earlier process, by sha256(program digest, compiler version, toolchain id and version,
 * flags). Equal keys never compile at the same time: later callers wait for the first. Only artifacts are kept, never failures.
 * An entry is one file, `length of manifest | manifest | code`, which is checked against the digests inside before use.
 */
import { abortable, canonicalJson, digestOf, measureErrorNo, type ProgramBytes } from "@warpfarm/common";
import type { FileCache } from "@warpfarm/common/process";
import { decodeManifest, encodeManifest, programEnvelope } from "@warpfarm/proto";
import type { Artifact, BuildExecutor, BuildOptions, BuildRequest, BuildResult } from "../build-executor.ts";

/** Everything besides the program that determines the bytes of a build. */
export interface BuildIdentity {
  readonly compiler: string;
  readonly toolchain: string;
  readonly flags: readonly string[];
}

export interface CachingOptions {
  readonly files: FileCache;
  /** Undefined when this builder has no toolchain for the target. */
  readonly identityOf: (target: string) => BuildIdentity | undefined;
}

export const cacheEntryPattern = /^[0-9a-f]{64}\.build$/;

export class CachingBuildExecutor implements BuildExecutor {
  readonly #inner: BuildExecutor;
  readonly #options: CachingOptions;
  readonly #running = new Map<string, Promise<BuildResult>>();

  constructor(inner: BuildExecutor, options: CachingOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  async build(request: BuildRequest, options: BuildOptions = {}): Promise<BuildResult> {
    const identity = this.#options.identityOf(programEnvelope("program", request.program.bytes).target);
    if (identity === undefined) return this.#inner.build(request, options);
    const name = entryName(request.program, identity);
    for (;;) {
      const artifact = await this.#read(name, request.program);
      if (artifact !== undefined) return { kind: "built", artifact, buildMs: 0, cached: true };
      const first = this.#running.get(name);
      if (first === undefined) break;
      const waited = first.catch(() => undefined);
      const result = await (options.signal ? abortable(waited, options.signal) : waited);
      // A refusal holds for both. When the first gave up or reached its own time limit, this one tries by itself.
      if (result?.kind === "failed" && result.result.errorNo !== measureErrorNo.BUILD_TIMEOUT) return result;
    }
    const built = this.#buildAndKeep(name, request, options).finally(() => this.#running.delete(name));
    this.#running.set(name, built);
    return built;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  async #buildAndKeep(name: string, request: BuildRequest, options: BuildOptions): Promise<BuildResult> {
    const result = await this.#inner.build(request, options);
    // A disk that refuses costs a later compile, and does not fail this build.
    if (result.kind === "built") await this.#options.files.write(name, pack(result.artifact)).catch(() => {});
    return result;
  }

  async #read(name: string, program: ProgramBytes): Promise<Artifact | undefined> {
    const { files } = this.#options;
    const bytes = await files.read(name).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const artifact = unpack(bytes);
    if (artifact?.manifest.program === program.digest) return artifact;
    await files.remove(name);
    return undefined;
  }
}

function entryName({ digest }: ProgramBytes, { compiler, toolchain, flags }: BuildIdentity): string {
  return `${digestOf(canonicalJson([digest, compiler, toolchain, flags])).slice("sha256:".length)}.build`;
}

function pack({ manifestBytes, code }: Artifact): Uint8Array {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(manifestBytes.length);
  return Buffer.concat([head, manifestBytes, code]);
}

function unpack(bytes: Uint8Array): Artifact | undefined {
  if (bytes.length < 4) return undefined;
  const end = 4 + Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32LE();
  const decoded = decodeManifest(bytes.subarray(4, end));
  const code = bytes.subarray(end);
  if (!decoded.ok || digestOf(code) !== decoded.value.code) return undefined;
  const { digest, bytes: manifestBytes } = encodeManifest(decoded.value);
  return { digest, manifest: decoded.value, manifestBytes, code };
}
