/**
 * Texts that try to read a file of the builder, on nvcc: what they get without any guard, in each layer of the sandbox alone, and
 * with the check of a builder without a sandbox.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layers } from "@warpfarm/common/process";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isFull, some } from "../../../../test-support/campaign.ts";
import { has, lacks } from "../../../../test-support/needs.ts";
import { programOf, readingTexts, reads, saidBy, secret } from "../../../../test-support/reading-texts.mjs";
import { LocalBuildExecutor } from "../../build-executor.ts";
import { installations } from "../../local-builder.ts";
import { koffi, layerAlone } from "../../sandboxes.testing.ts";
import type { ClientText, ToolchainFacts } from "../toolchain.ts";
import { filesOf } from "./find-libraries.ts";
import { findNvcc } from "./nvcc.ts";

const { PATH = "" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "warpfarm-reading-"));
const path = join(folder, "secret.h");
const missing = join(folder, "nobody.h");
writeFileSync(path, `${secret} nonsense ${secret};\n`.repeat(3));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let facts: ToolchainFacts | undefined;
beforeAll(async () => {
  if (!has("nvcc")) return;
  const found = await findNvcc(PATH, { homes: [], list: filesOf }, folder);
  if (found.ok) facts = found.value;
});

const honest = '#include <cuda_fp16.h>\nextern "C" __global__ void k(float *a) { *a = __half2float(__float2half(a[1])); }\n';

async function builder(ctx: { skip(note?: string): never }, clientText: ClientText, layers?: Layers) {
  const toolchain = facts ?? lacks(ctx, "nvcc");
  const executor = new LocalBuildExecutor({
    compilerVersion: "0",
    toolchains: [toolchain],
    lockDirectory: folder,
    workDirectory: mkdtempSync(join(folder, "work-")),
    clientText,
    ...(layers === undefined ? {} : { sandbox: { layers, koffi, readable: installations([toolchain], []) } }),
  });
  onTestFinished(() => executor[Symbol.asyncDispose]());
  return executor;
}

/** Those that surely read; in npm test one of each way. */
const open = some(
  ["line", "linemarker", "line with a digraph", "spliced line", "warning at a line", "has_include, pasted", "dependency"],
  0,
  5,
  6,
);
/** Each takes a second in each of three tests: npm test builds those. */
const built = isFull ? readingTexts : readingTexts.filter(({ name }) => open.includes(name));

/** Names of the texts that read the file. Every builder here must build honest text. */
async function leaking(executor: LocalBuildExecutor, texts = built): Promise<readonly string[]> {
  const good = await executor.build({ program: programOf({ "main.cu": honest }), timeoutMs: 300_000 });
  expect(good.kind, saidBy(good)).toBe("built");
  const names: string[] = [];
  for (const text of texts) if ((await reads(text, { executor, path, missing })).leaks) names.push(text.name);
  return names;
}

describe("texts that read", { timeout: 600_000 }, () => {
  test("are 30 and more, and read indeed where nothing is in their way", async (ctx) => {
    expect(readingTexts.length).toBeGreaterThanOrEqual(30);
    const names = await leaking(await builder(ctx, "all"));
    for (const name of open) expect(names).toContain(name);
    expect(names.length).toBeGreaterThanOrEqual((built.length * 2) / 3);
  });

  test("get nothing of a file's content under Landlock alone, and the log is shown", async (ctx) => {
    const executor = await builder(ctx, "all", layerAlone(ctx, "landlock"));
    const content = built.filter(({ tells }) => tells === "content");
    expect(await leaking(executor, content)).toEqual([]);
    const said = await reads(content[0] as (typeof content)[0], { executor, path, missing });
    expect(said.said).toContain("#error");
  });

  test("get nothing in bubblewrap alone, not even whether a file is there", async (ctx) => {
    expect(await leaking(await builder(ctx, "all", layerAlone(ctx, "bubblewrap")))).toEqual([]);
  });

  test("do not get past the check of a builder without a sandbox: each is refused by rule before a compiler sees it", async (ctx) => {
    const executor = await builder(ctx, "checked");
    const refused: string[] = [];
    for (const text of readingTexts) {
      const { said } = await reads(text, { executor, path, missing });
      expect(said, text.name).not.toContain(secret);
      if (/^source\.(?:include|directive) /.test(said)) refused.push(text.name);
    }
    // What a static_assert and a .loc would show is another file's line, by a directive that is refused; .file reads nothing.
    expect(readingTexts.map(({ name }) => name).filter((name) => !refused.includes(name))).toEqual(["file and loc in assembly"]);
    expect(await leaking(executor, [])).toEqual([]);
  });

  test("are refused whole where programs come from a network and there is no sandbox", async (ctx) => {
    const program = programOf({ "main.cu": honest });
    const refused = await (await builder(ctx, "refused")).build({ program, timeoutMs: 300_000 });
    expect(refused).toMatchObject({ kind: "failed", result: { errorNo: 3, rule: "source.sandbox" } });
  });
});
