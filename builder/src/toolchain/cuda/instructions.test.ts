/** Instructions by class: of a listing counted by hand, and in a build's manifest, by a script's listing and a real one. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instructionsNote, instructionsOf } from "@warpfarm/common";
import { encodeDocument } from "@warpfarm/compiler";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { bundled } from "../../../../test-support/bundles.ts";
import { needs } from "../../../../test-support/needs.ts";
import { LocalBuildExecutor } from "../../build-executor.ts";
import { findToolchains } from "../index.ts";
import { filesOf } from "./find-libraries.ts";
import { countInstructions, findNvdisasm } from "./instructions.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-instructions-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const { PATH = "" } = process.env;

/** As nvdisasm 11.8 and 13 print it. */
const listing = (name: string, lines: readonly string[]): string =>
  [
    `//--------------------- .text.${name}                   --------------------------`,
    `\t.section\t.text.${name},"ax",@progbits`,
    `        .size           ${name},(.L_x_1 - ${name})`,
    `.text.${name}:`,
    ...lines.map((line, i) => `        /*${(16 * i).toString(16).padStart(4, "0")}*/                   ${line}`),
    ".L_x_1:",
  ].join("\n");
const lines = [
  "MOV R1, c[0x0][0x28] ;",
  "HFMA2.MMA R2, -RZ, RZ, 0, 2.384185791015625e-07 ;",
  "LDG.E.128 R4, [R2.64] ;",
  "@!P0 LDGSTS.E.BYPASS.128 [R13], [R2.64] ;",
  "UTMALDG.2D [UR8], [UR4], desc[UR6] ;",
  "LDGDEPBAR ;",
  "STS [R7.X4], R0 ;",
  "LDSM.16.MT88.4 R4, [R5] ;",
  "BAR.SYNC 0x0 ;",
  "@P1 SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3], R4 ;",
  "HMMA.16816.F32 R4, R8, R12, R4 ;",
  "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24, gsb0 ;",
  "FFMA R4, R0, R5, R0 ;",
  "HFMA2 R4, R0, R5, R0 ;",
  "DFMA R4, R0, R5, R0 ;",
  "IMAD R4, R0, R5, R0 ;",
  "@!UP0 BRA `(.L_x_0) ;",
  "EXIT ;",
  "BRA `(.L_x_0);",
  "NOP;",
];
const counts = { fma: 3, tensor: 2, shared: 2, global: 3, barrier: 3, branch: 3, other: 3 };

it("counts each class of the named kernels, and none of other functions", () => {
  const text = `${listing("k", lines)}\n${listing("helper", lines)}\n\t.section\t.nv.info,"",@"SHT_CUDA_INFO"\n`;
  expect(countInstructions(text, ["k"])).toEqual(counts);
  expect(countInstructions(text, ["k", "helper"])).toEqual(
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, 2 * count])),
  );
  expect(countInstructions(text, ["other"])).toBeUndefined();
});

it("a note says what it was made of; others say nothing", () => {
  const note = instructionsNote(counts);
  expect(note).toEqual({
    rule: "instructions",
    message: "fma 3, tensor 2, shared 2, global 3, barrier 3, branch 3, other 3",
  });
  expect(instructionsOf([{ rule: "ptxas.spills", message: "k" }, note])).toEqual(counts);
  expect(instructionsOf([{ ...note, message: `${note.message}, more 1` }])).toBeUndefined();
  expect(instructionsOf([])).toBeUndefined();
});

describe("a build", () => {
  const ptx = `.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<2>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  fma.rn.f32 %f2, %f1, %f1, %f1;
  fma.rn.f32 %f3, %f2, %f1, %f2;
  st.global.f32 [%rd3], %f3;
  ret;
}
`;
  const program = encodeDocument({
    ...{ version: 4, kind: "ptx", target: "cuda/sm_80", text: ptx, flags: [] },
    kernels: [{ entry: "k", grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
    args: [{ name: "a", dtype: "float32", shape: [32], role: "inout", fill: "random" }],
  });
  const script = (name: string, text: string): string => {
    const path = join(base, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const found = findToolchains(PATH, base);
  /** Builds of one builder, which has this disassembler. */
  const builderWith = async (nvdisasm: string | undefined) => {
    const { toolchains } = await found;
    const tools = { toolchains, ...(nvdisasm ? { nvdisasm } : {}) };
    const settings = { ...tools, compilerVersion: "0", lockDirectory: base, clientText: "all" as const };
    const module = bundled("builder/dist/worker/child");
    const executor = new LocalBuildExecutor({ ...settings, module, workDirectory: mkdtempSync(join(base, "work-")) });
    onTestFinished(() => executor[Symbol.asyncDispose]());
    return async () => {
      const result = await executor.build({ program, timeoutMs: 300_000 });
      if (result.kind !== "built") throw new Error(result.result.message);
      return result.artifact.manifest;
    };
  };

  it("says in its manifest what the disassembler lists of the code, or why that is not counted", async (ctx) => {
    needs(ctx, "nvcc");
    writeFileSync(join(base, "listing"), listing("k", lines));
    // It is given the cubin: ELF, as ptxas made it.
    const path = script(
      "disassembler",
      `read -r head < "$3"; case "$head" in *ELF*) exec /bin/cat ${join(base, "listing")};; esac; exit 3`,
    );
    const built = await builderWith(path);
    const manifest = await built();
    expect(manifest.version).toBe(1);
    expect(instructionsOf(manifest.notes)).toEqual(counts);
    script("disassembler", 'echo "nvdisasm fatal   : not for $3" >&2; exit 1');
    const none = { rule: "instructions.none" };
    expect((await built()).notes).toEqual([
      { ...none, message: "instructions are not counted: nvdisasm fatal   : not for counted.cubin" },
    ]);
    script("disassembler", "exit 0");
    expect((await built()).notes).toEqual([
      { ...none, message: "instructions are not counted: nvdisasm lists none of the kernels" },
    ]);
    rmSync(path);
    expect((await built()).notes).toEqual([{ ...none, message: expect.stringContaining("ENOENT") }]);
  });

  it("says nothing of them without a disassembler", async (ctx) => {
    needs(ctx, "nvcc");
    expect(instructionsOf((await (await builderWith(undefined))()).notes)).toBeUndefined();
  });

  it("is counted by the toolkit's own disassembler, where there is one", async (ctx) => {
    needs(ctx, "nvcc");
    const found = await findNvdisasm(PATH, { homes: [], list: filesOf }, base);
    if (!found.ok) return ctx.skip(found.error);
    const { notes } = await (await builderWith(found.value))();
    // One that is older than ptxas reads none of its code.
    if (notes[0]?.rule === "instructions.none") return ctx.skip(notes[0].message);
    expect(instructionsOf(notes)).toMatchObject({ fma: 2, tensor: 0, shared: 0, global: 2, barrier: 0, branch: 2 });
  });
});
