/** `export` of a pack: the library's entries, what is registered for shapes of a library, and the kernels of a dispatch table. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ManifestBuffer } from "@warpfarm/common";
import { type BucketEvidence, packOf } from "@warpfarm/records/packs";
import { createTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { python, writeAll } from "../export/exported.testing.ts";
import { exportFiles } from "../export/files.ts";
import { parametersOf } from "../export/layout.ts";
import { exportUnit } from "../export/unit.ts";
import { key, suiteIn } from "../suite/pack.testing.ts";
import { packIn, writePack } from "../suite/pack-folder.ts";
import { runCli, scratch } from "./context.testing.ts";

/** Three shapes: the kernels of 4 and 16, and 8, which keeps the library of the caller. */
async function libraryIn(home: string) {
  const baseline = { name: "lib.csv", of: { t1: { kind: "library" as const, seconds: 1e-12, margin: 0.03 } } };
  const directory = await suiteIn(join(home, "mine"), [[1e-6], [1e-6], [1e-6]], { baseline });
  const pack = await packIn(directory, "mine");
  // A pack alone is enough.
  const folder = join(home, "pack");
  mkdirSync(folder);
  await writePack(folder, pack);
  return createTask("matmul_derived", [4, 16, 8, "float32", "NN"], key);
}

test("a pack is a library that finds the kernel of a shape, and calls what is registered for the library's", {
  timeout: 120_000,
}, async (ctx) => {
  needs(ctx, "cc");
  const home = scratch();
  const task = await libraryIn(home);
  const said = await runCli(["export", "pack", "--name", "mm", "-o", "out"], { home });
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toContain('library  mm: [8,16,8,"float32","NN"], by the function that you register');
  const tensors = tensorOrder(task);
  writeFileSync(
    join(home, "out", "user.c"),
    `#include "mm.h"
#include <stdio.h>
_Alignas(64) static float a[256], b[256], c[256];
_Alignas(64) static char space[4096];
static int library(const long long *sizes, ${parametersOf(exportUnit("x", task, task.space.toIndex(0)).kernel)}, void *workspace) {
  (void)workspace;
  c[0] = sizes[0] * 10000 + sizes[1] * 100 + sizes[2];
  return ${task.graph.inputs.map(({ name }) => `${name} == ${name.toLowerCase()}`).join(" && ")} ? 0 : 3;
}
int main(void) {
  for (int i = 0; i < 256; ++i) a[i] = 1, b[i] = 2;
  const long long known[] = {16, 16, 8}, theirs[] = {8, 16, 8}, unknown[] = {8, 17, 8};
  const int shape = mm_find(known), other = mm_find(theirs);
  const int failed = mm_run(shape, ${tensors}, space), refused = mm_run(-1, ${tensors}, 0), beyond = mm_run(3, ${tensors}, 0);
  printf("%d %d %d %d %d %d %d %g, %s\\n", shape, other, mm_find(unknown), failed, refused, beyond, mm_workspace_bytes(shape) <= sizeof space, c[127], mm_served());
  const int absent = mm_run(other, ${tensors}, 0);
  mm_use(library);
  printf("%d %d", absent, mm_run(other, ${tensors}, 0));
  printf(" %g", c[0]);
  printf(" %d\\n", mm_run(shape, ${tensors}, space));
}
`,
  );
  const files = ["mm.c", "mm_0.c", "mm_1.c", "user.c"];
  const march = key === "cpu/arm64" ? [] : ["-march=x86-64-v2"];
  execFileSync(
    "cc",
    ["-std=gnu11", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-fopenmp", ...march, "-o", "user", ...files, "-lm"],
    {
      cwd: join(home, "out"),
    },
  );
  // Shapes are in the order of their numbers, those of the library last. Sums have 8 products of 1 and 2.
  expect(execFileSync("./user", { cwd: join(home, "out"), encoding: "utf8" })).toBe(
    "1 2 -1 0 1 1 1 16, 4, 16, 8; 16, 16, 8; 8, 16, 8\n2 0 81608 0\n",
  );
});

test("in Python a shape of the library calls what is registered, and says so when nothing is", async (ctx) => {
  needs(ctx, "python3");
  const home = scratch();
  await libraryIn(home);
  const manifest = { format: "so", toolchain: "cc", resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 } };
  const buildHere = async () => ({ kind: "built", manifest, code: new Uint8Array([7]), buildMs: 1 }) as never;
  const said = await runCli(["export", "mine", "--format", "python", "-o", "out", "--json"], { home, buildHere });
  expect(JSON.parse(said.stdout)).toMatchObject({
    kernels: [{ name: "matmul_derived_0" }, { name: "matmul_derived_1" }],
    libraries: [{ entry: "matmul_derived", args: [8, 16, 8, "float32", "NN"] }],
  });
  const text = `
import three
def said(call):
    try: return call()
    except Exception as error: return "%s: %s" % (type(error).__name__, error)
print(said(lambda: three.matmul_derived(8, 16, 8).launch(1, 2, 3)))
print(said(lambda: three.matmul_derived(8, 17, 8)))
three.matmul_derived.use(lambda sizes, *tensors, workspace, stream: (sizes, tensors, workspace, stream))
print(three.matmul_derived(8, 16, 8).launch(1, 2, 3, stream=4))
`;
  expect(python(join(home, "out"), text).trim().split("\n")).toEqual([
    "RuntimeError: matmul_derived(8, 16, 8) is served by a library; register it: matmul_derived.use(function)",
    "ValueError: matmul_derived has no kernel for (8, 17, 8); it has those for (4, 16, 8), (16, 16, 8), (8, 16, 8)",
    "((8, 16, 8), (1, 2, 3), None, 4)",
  ]);
});

test("the kernels of a dispatch table are a pack", async () => {
  const home = scratch();
  await suiteIn(join(home, "mine"), [
    [2e-6, 1e-6],
    [1e-6, 2e-6],
    [1e-6, 3e-6],
  ]);
  const said = await runCli(["suite", "table", "mine", "--kernels", "1", "-o", "table"], { home });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(said.stdout).toContain('slowest regret at [4,16,8,"float32","NN"]: 2.000 us, best known 1.000 us');
  expect(readdirSync(join(home, "table")).sort()).toEqual([
    "choices.json",
    "evidence.json",
    expect.stringMatching(/^matmul_derived-.*\.h$/),
  ]);
  const out = await runCli(["export", "table", "-o", "out", "--json"], { home });
  const { kernels } = JSON.parse(out.stdout);
  // The first shape's own is another one.
  expect(kernels.map(({ index }: { readonly index: number }) => index)).toEqual([2, 2, 2]);
});

const tensorOrder = (task: Parameters<typeof exportUnit>[1]): string =>
  exportUnit("x", task, task.space.toIndex(0))
    .kernel.buffers.filter(({ role }) => role !== "workspace")
    .map(({ name }) => name.toLowerCase())
    .join(", ");

test("shapes of other words have an entry of their own, with a name of its own", async () => {
  const home = scratch();
  const { choices, evidence } = await packIn(await suiteIn(join(home, "mine"), [[1e-6], [1e-6], [1e-6]]), "mine");
  const parts = choices.buckets.map((bucket, i) => {
    const args = i === 2 ? [8, 16, 8, "float32", "NT"] : bucket.args;
    return { bucket: { ...bucket, args }, evidence: evidence[i] as BucketEvidence };
  });
  mkdirSync(join(home, "pack"));
  await writePack(join(home, "pack"), packOf("mine", parts));
  const said = await runCli(["export", "pack", "-o", "out", "--json"], { home });
  const shown = JSON.parse(said.stdout).kernels.map(({ name, args }: { name: string; args: unknown[] }) => [
    name,
    args[0],
    args[4],
  ]);
  expect(shown).toEqual(
    [
      ["matmul_derived_1_0", 4, "NN"],
      ["matmul_derived_2_0", 8, "NT"],
      ["matmul_derived_1_1", 8, "NN"],
    ].toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
  );
});

test("each shape has the workspace of its own kernel", (ctx) => {
  needs(ctx, "cc");
  const space = (bytes: number): ManifestBuffer =>
    ({
      name: "w",
      role: "workspace",
      dtype: "uint8",
      shape: [bytes],
      bytes,
      align: 16,
      reduction: 0,
    }) as unknown as ManifestBuffer;
  const units = [300, 600].map((bytes, i) => {
    const task = createTask("matmul_derived", [4 * (i + 1), 16, 8, "float32", "NN"], key);
    const unit = exportUnit(`e_${i}`, task, task.space.toIndex(1));
    return { ...unit, kernel: { ...unit.kernel, buffers: [...unit.kernel.buffers, space(bytes)] } };
  });
  const folder = writeAll(join(scratch(), "out"), exportFiles("c", "lib", units, new Map(), [{ name: "e", units }]));
  const main = `#include "lib.h"
#include <stdio.h>
int main(void) { printf("%zu %zu %zu", e_workspace_bytes(0), e_workspace_bytes(1), e_workspace_bytes(2)); return 0; }
`;
  writeFileSync(join(folder, "user.c"), main);
  execFileSync("cc", ["-std=gnu11", "-fopenmp", "-o", "user", "user.c", "lib.c", "e_0.c", "e_1.c", "-lm"], { cwd: folder });
  // Multiples of 256.
  expect(execFileSync("./user", { cwd: folder, encoding: "utf8" })).toBe("512 768 0");
});
