/** PTX to cubin where ptxas is installed: what it makes, what it refuses and by which line. */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import type { ClientText } from "../toolchain.ts";
import { readCubin } from "./cubin.ts";
import { filesOf } from "./find-libraries.ts";
import { findPtxas, PtxasToolchain } from "./ptxas.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-ptxas-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const places = { homes: [], list: filesOf };

const ptx = (body: string): string => `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ${body}
  ret;
}
`;
async function assembled(text: string, flags: readonly string[] = [], clientText: ClientText = "all", target = "cuda/sm_90") {
  const facts = await findPtxas(process.env.PATH ?? "", places, scratch, [target]);
  if (!facts.ok) throw new Error(facts.error);
  const directory = await mkdtemp(join(scratch, "job-"));
  const device = { language: "ptx", text, kernels: [], buffers: [], notes: [] };
  const job = { text: device, flags, clientText, target, directory, timeoutMs: 60_000 };
  return new PtxasToolchain(facts.value).compile(job);
}

describe("ptxas", () => {
  it("makes a cubin of PTX, with the flags asked for", async (ctx) => {
    needs(ctx, "nvcc");
    const body = "mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1;";
    const [plain, slow] = [await assembled(ptx(body)), await assembled(ptx(body), ["-O0"])];
    expect(plain).toMatchObject({ ok: true });
    expect(plain.ok && readCubin(plain.code)).toMatchObject({
      ok: true,
      value: { capability: 90, kernels: [{ name: "k", parameters: [8, 4] }] },
    });
    expect(slow.ok && plain.ok && Buffer.compare(slow.code, plain.code)).not.toBe(0);
    expect(plain.ok && plain.resources.registers).toBeGreaterThan(0);
  });

  it("names the line of what it refuses, and no folder of this machine", async (ctx) => {
    needs(ctx, "nvcc");
    const refused = await assembled(ptx("add.u32 %r1, %r2;"));
    expect(refused).toMatchObject({ ok: false, rule: "ptxas", message: expect.stringMatching(/kernel\.ptx, line 8; error/) });
    expect(JSON.stringify(refused)).not.toContain(scratch);
  });

  it("reads no other file, and nothing where there is no sandbox and programs come from others", async (ctx) => {
    needs(ctx, "nvcc");
    const include = await assembled(`.version 7.8\n.target sm_90\n.address_size 64\n.include "/etc/passwd"\n`);
    expect(include.ok).toBe(false);
    expect(JSON.stringify(include)).not.toContain("root:");
    expect(await assembled(ptx(""), [], "refused")).toMatchObject({ ok: false, rule: "source.sandbox" });
  });

  it("refuses PTX for a later target than the program's", async (ctx) => {
    needs(ctx, "nvcc");
    expect(await assembled(ptx(""), [], "all", "cuda/sm_80")).toMatchObject({ ok: false, rule: "ptxas" });
  });
});
