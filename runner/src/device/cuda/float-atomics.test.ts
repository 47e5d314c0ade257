/** What ptxas makes of one atomic instruction at a time. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { mayAddFloats } from "./float-atomics.ts";

const folder = mkdtempSync(join(tmpdir(), "warpfarm-atomics-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A kernel for each, in one file: lines of PTX. */
function cubin(level: number, ...lines: readonly string[]): Uint8Array {
  const [source, output] = [join(folder, "k.ptx"), join(folder, "k.cubin")];
  const kernels = lines.map(
    (line, i) => `.visible .entry k${i}(.param .u64 p) {
.reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b32 %r<9>; .shared .align 16 .b32 sm[64];
ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;
ld.global.f32 %f1, [%rd1+32]; ld.global.f64 %d1, [%rd1+40]; ld.global.u32 %r1, [%rd1+48]; ld.global.u32 %r3, [%rd1+52];
${line} ret; }`,
  );
  writeFileSync(source, `.version 8.7\n.target sm_${level}\n.address_size 64\n${kernels.join("\n")}\n`);
  execFileSync("nvcc", ["-cubin", `-arch=sm_${level}`, "-o", output, source], { stdio: "ignore" });
  return readFileSync(output);
}
const may = (level: number, ...lines: readonly string[]) =>
  mayAddFloats({ format: "cubin", target: `cuda/sm_${level}` }, () => cubin(level, ...lines));

const plain = "add.f32 %f1, %f1, %f1; st.global.f32 [%rd1], %f1;";
const integers = [
  plain,
  "red.global.add.u32 [%rd1], %r1;",
  "atom.global.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd1+64], %r2;",
  "atom.shared.add.u32 %r2, [sm], %r1; st.global.u32 [%rd1+64], %r2;",
];
const floats = {
  "in global memory": "red.global.add.f32 [%rd1], %f1;",
  "with the old value": "atom.global.add.f64 %d2, [%rd1], %d1; st.global.f64 [%rd1+64], %d2;",
  "in shared memory": "atom.shared.add.f32 %f2, [sm], %f1; st.global.f32 [%rd1+64], %f2;",
  "by a swap": "atom.global.cas.b32 %r2, [%rd1], %r1, %r3; st.global.u32 [%rd1+64], %r2;",
};

describe.each([75, 90, 120])("on sm_%i", (level) => {
  test("code without atomic operations, and from sm_90 on with those of integers, adds no floats by them", (ctx) => {
    needs(ctx, "nvcc");
    expect(may(level, plain)).toBe(false);
    expect(may(level, ...integers)).toBe(level < 90);
  });
  // The others in the campaign's archs would say the same again.
  test.each(
    level === 90 ? Object.keys(floats) : ["in global memory", "in shared memory"],
  )("a sum of floats %s is found", (what) => {
    expect(may(level, plain, floats[what as keyof typeof floats])).toBe(true);
  });
});

test("PTX with a reduction may, other PTX does not, and other code may", () => {
  const ptx = (text: string) => mayAddFloats({ format: "ptx", target: "cuda/sm_90" }, () => Buffer.from(text));
  expect([ptx("red.global.add.f32 [%rd1], %f1;"), ptx("add.f32 %f1, %f1, %f1; // predicated")]).toEqual([true, false]);
  expect(mayAddFloats({ format: "so", target: "cpu/x86-64-v1" }, () => new Uint8Array())).toBe(true);
});
