/** What a captured operator computes is what PyTorch computes, and the times of calls are those of their nodes. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { runCli, scratch } from "../cli/context.testing.ts";
import { executed, readFiles } from "./model.testing.ts";

const script = fileURLToPath(new URL("testdata/operators.py", import.meta.url));

it("each captured operator computes what PyTorch computes, of its shape", async (ctx) => {
  needs(ctx, "python-torch");
  const cwd = scratch();
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", OMP_NUM_THREADS: "1" };
  const said = execFileSync("/usr/bin/python3", ["-W", "ignore", script, cwd], { env, encoding: "utf8" });
  expect(said.split("\n")).toEqual([
    "aten.view is not recorded: it reads the bytes of torch.float32 as torch.int32",
    ...["4, 2 and 4", "4, 4 and 2"].map(
      (heads) =>
        `aten.scaled_dot_product_attention is not recorded: queries, keys and values have ${heads} heads; repeat those of keys and values`,
    ),
    "aten.upsample_linear1d is not recorded: in float32 its factors [1.99999999] give other sizes than [7]; give sizes",
    ...["0.003", "[3.0, 4.0, None]", ""],
  ]);
  const wrong: string[] = [];
  for (const name of readdirSync(cwd).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []))) {
    const { code, stderr } = await runCli(["suite", "from-onnx", `${name}.onnx`], { cwd });
    const { x, y, shape } = JSON.parse(readFileSync(join(cwd, `${name}.json`), "utf8")) as Wanted;
    if (code !== 0) {
      wrong.push(`${name}: ${stderr}`);
      continue;
    }
    const { plan } = readFiles(cwd, name);
    const [output = ""] = plan.outputs;
    const made = plan.tensors[output]?.shape;
    const [got = []] = executed(cwd, { x }, name);
    const worst = Math.max(...y.map((value, i) => Math.abs(value - (got[i] as number)) / Math.max(1, Math.abs(value))));
    if (!(worst < 3e-6) || made?.join() !== shape.join()) wrong.push(`${name}: [${made}] for [${shape}], ${worst}`);
  }
  expect(wrong).toEqual([]);
});
interface Wanted {
  readonly x: number[];
  readonly y: number[];
  readonly shape: number[];
}
