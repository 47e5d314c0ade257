/**
 * The answers of scripted builders and devices: a pure function of the program's digest, known to both sides. A result that
 * belongs to another program, or to none, is recognized as wrong.
 */
import { canonicalJson, digestOf, measureErrorNo, toProgramDigest } from "@warpfarm/common";
import { encodeManifest } from "@warpfarm/proto";

/** Target of a run's programs: a run named "...@v2" is for builders and devices of that level alone. */
export const targetOf = (run) => `cpu/x86-64-v${/@v([1-4])$/.exec(run)?.[1] ?? 1}`;

/** Program number `i` of a run: only a name, with nothing to compile. */
export function programOf(run, i) {
  const target = targetOf(run);
  const text = canonicalJson({ version: 1, kind: "schedule", target, graph: { name: `${run}/${i}` }, intrinsics: [], trace: [] });
  return { digest: toProgramDigest(digestOf(text)), bytes: Buffer.from(text) };
}

const number = (digest) => Number.parseInt(digest.slice("sha256:".length, "sha256:".length + 10), 16);

/**
 * Of ten programs one does not compile, one gives wrong answers, and each of the others has its own time. References always work.
 */
export function verdictOf(digest) {
  const n = number(digest);
  if (n % 10 === 0) return { at: "build", errorNo: measureErrorNo.COMPILE_DEVICE, message: `does not compile: ${digest}` };
  if (n % 10 === 1) return { at: "run", errorNo: measureErrorNo.WRONG_ANSWER, message: `wrong answer: ${digest}` };
  return { at: "end", seconds: (n + 1) * 1e-9 };
}

/** A duration between the bounds, the same each time the program is run. */
export const millisecondsOf = (digest, [least, most]) => least + (number(digest) % 97) * ((most - least) / 96);

/** In a few characters what a result says. */
export const saidBy = (result) => (result.kind === "timed" ? `${result.costs.join()}` : `${result.errorNo} ${result.message}`);

/** What the result of a program must say. */
export function saidOf(digest) {
  const verdict = verdictOf(digest);
  return verdict.at === "end" ? `${verdict.seconds}` : `${verdict.errorNo} ${verdict.message}`;
}

/** Uploads a scripted build of a program: code that names the program, and a manifest. Resolves with its digest. */
export async function buildScripted({ program, target }, upload) {
  const code = await upload(Buffer.from(`code of ${program}`));
  const { bytes, digest } = encodeManifest({
    version: 1,
    program,
    target,
    format: "so",
    code,
    kernels: [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
    buffers: [],
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "scripted",
    notes: [],
  });
  await upload(bytes);
  return digest;
}
