// CUDA texts that try to read a file of the builder, or to find out whether it exists. Each is run on the installed compilers
// (builder/src/toolchain/cuda/reading.test.ts).
import { canonicalJson, digestOf, toProgramDigest } from "@warpfarm/common";

/** Stands in the file that is to be read. */
export const secret = "warpfarm_secret_4711";

const kernel = 'extern "C" __global__ void k(float *a) { *a = 1; }\n';
const up = "../".repeat(24);
const q = (text) => JSON.stringify(text);
/** A path from a folder of the toolkit or of the job up to the root and down again. */
const round = (path) => `${up}${path.slice(1)}`;
const one = (text) => ({ "main.cu": `${text}\n${kernel}` });

/** `tells`: the file's content, or only whether it exists. `files` of the program, given the file's absolute path. */
export const readingTexts = [
  ["line", "content", (p) => one(`#line 1 "${p}"\n#error x`)],
  ["line, relative", "content", (p) => one(`#line 1 "${round(p)}"\n#error x`)],
  ["line, then a wrong declaration", "content", (p) => one(`#line 1 "${p}"\nundeclared_type x;`)],
  ["line by a macro", "content", (p) => one(`#define F "${p}"\n#line 1 F\n#error x`)],
  ["line behind comments", "content", (p) => one(`/*a*/ # /*b*/ line /*c*/ 1 "${p}"\n#error x`)],
  ["spliced line", "content", (p) => one(`#li\\\nne 1 "${p}"\n#error x`)],
  ["spliced line, blank behind the backslash", "content", (p) => one(`#li\\ \nne 1 "${p}"\n#error x`)],
  ["line with a digraph", "content", (p) => one(`%:line 1 "${p}"\n#error x`)],
  ["line with a trigraph", "content", (p) => one(`??=line 1 "${p}"\n#error x`)],
  ["linemarker", "content", (p) => one(`# 1 "${p}"\n#error x`)],
  ["linemarker that enters a file", "content", (p) => one(`# 1 "${p}" 1\nundeclared_type x;`)],
  ["linemarker of a system header", "content", (p) => one(`# 1 "${p}" 3 4\n#error x`)],
  ["linemarker with a digraph", "content", (p) => one(`%: 1 "${p}"\n#error x`)],
  ["warning at a line", "content", (p) => one(`#line 1 "${p}"\n#warning x\n#line 2 "main.cu"\n#error y`)],
  ["line in a header", "content", (p) => ({ "main.cu": `#include "h.cuh"\n${kernel}`, "h.cuh": `#line 1 "${p}"\n#error x\n` })],
  ["static_assert at a line", "content", (p) => one(`#line 1 "${p}"\nstatic_assert(false, "x");`)],
  ["include", "content", (p) => one(`#include "${p}"`)],
  ["include in angles", "content", (p) => one(`#include <${p}>`)],
  ["include, relative", "content", (p) => one(`#include "${round(p)}"`)],
  ["include by way of the toolkit", "content", (p) => one(`#include <crt/${round(p)}>`)],
  ["include by a macro", "content", (p) => one(`#define X "${p}"\n#include X`)],
  ["include of the presumed file", "content", (p) => one(`#line 1 "${p}"\n#include __FILE__`)],
  ["include_next", "content", (p) => one(`#include_next "${p}"`)],
  ["import", "content", (p) => one(`#import "${p}"`)],
  ["include behind a raw string", "content", (p) => one(`const char *s = R"(/*)";\n#include "${p}"\n// */`)],
  ["include behind a digit separator", "content", (p) => one(`int n = 1'0; const char *s = "'/*";\n#include "${p}"\n/* */`)],
  ["embed", "content", (p) => one(`const unsigned char b[] = {\n#embed "${p}"\n};`)],
  ["incbin in assembly of the file", "content", (p) => one(`asm(${q(`.incbin "${p}"`)});`)],
  [
    "incbin in assembly of a kernel",
    "content",
    (p) => ({ "main.cu": `extern "C" __global__ void k() { asm(${q(`.incbin "${p}";`)}); }\n` }),
  ],
  [
    "include in assembly of a kernel",
    "content",
    (p) => ({ "main.cu": `extern "C" __global__ void k() { asm(${q(`.include "${p}"`)}); }\n` }),
  ],
  [
    "file and loc in assembly",
    "content",
    (p) => ({ "main.cu": `extern "C" __global__ void k() { asm(${q(`.file 1 "${p}"\n.loc 1 1 0\n bad;`)}); }\n` }),
  ],
  ["pch_preprocess", "content", (p) => one(`#pragma GCC pch_preprocess "${p}"\n#error x`)],
  ["has_include", "name", (p) => one(`#if __has_include("${p}")\n#error there\n#else\n#error away\n#endif`)],
  [
    "has_include, pasted",
    "name",
    (p) => one(`#define P(a, b) a##b\n#if P(__has_, include)("${p}")\n#error there\n#else\n#error away\n#endif`),
  ],
  ["dependency", "name", (p) => one(`#pragma GCC dependency "${p}"\n#error x`)],
  ["dependency by _Pragma", "name", (p) => one(`_Pragma(${q(`GCC dependency "${p}"`)})\n#error x`)],
].map(([name, tells, files]) => ({ name, tells, files }));

/** As a client sends it. */
export function programOf(files, target = "cuda/sm_80") {
  const kernels = [{ entry: "k", grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }];
  const args = [{ name: "a", dtype: "float32", shape: [1], role: "out", fill: "random" }];
  const bytes = Buffer.from(
    canonicalJson({ version: 1, kind: "cuda_source", target, files, kernels, defines: {}, flags: [], args }),
  );
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
}

/** All that comes back to a client, as one text. */
export function saidBy(result) {
  if (result.kind === "failed") return `${result.result.rule} ${result.result.message}\n${result.result.log ?? ""}`;
  return Buffer.from(result.artifact.code).toString("latin1");
}

/**
 * Whether the text succeeds with `executor` as builder. `path` is a file that contains `secret`; `missing` is a path of the same
 * length that does not exist.
 */
export async function reads({ tells, files }, { executor, path, missing, target, timeoutMs = 300_000 }) {
  const answer = async (at) => saidBy(await executor.build({ program: programOf(files(at), target), timeoutMs }));
  const said = await answer(path);
  if (said.includes(secret)) return { leaks: true, said };
  if (tells === "content") return { leaks: false, said };
  const other = await answer(missing);
  return { leaks: said.replaceAll(path, "") !== other.replaceAll(missing, ""), said: `${said}\n--- missing:\n${other}` };
}
