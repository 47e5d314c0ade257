/** `suite from-onnx` of networks as PyTorch exports them: the plan computes what PyTorch does. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCli, scratch } from "../cli/context.testing.ts";
import { executed, readFiles } from "./model.testing.ts";

const python = ["/usr/bin/python3", "python3"].find((word) => {
  try {
    execFileSync(word, ["-c", "import torch"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

describe("networks as PyTorch exports them", () => {
  it("compute what PyTorch computes", { timeout: 120_000 }, async (context) => {
    if (python === undefined) return context.skip("no Python here has torch (Debian: python3-torch)");
    const cwd = scratch();
    const script = fileURLToPath(new URL("testdata/export.py", import.meta.url));
    execFileSync(python, ["-W", "ignore", script, cwd], { stdio: "pipe" });
    const flags = { residual: ["--batch", "1"], transformer: ["--dim", "batch=2", "--dim", "length=7"], unet: [] };
    const found: Record<string, readonly string[]> = {};
    for (const [name, given] of Object.entries(flags)) {
      const said = await runCli(["suite", "from-onnx", `${name}.onnx`, ...given], { cwd });
      expect([said.code, said.stderr]).toEqual([0, ""]);
      const { x, y } = JSON.parse(readFileSync(join(cwd, `${name}.json`), "utf8")) as { x: number[]; y: number[][] };
      const got = executed(cwd, { x }, name);
      for (const [k, wanted] of y.entries()) {
        const furthest = Math.max(...wanted.map((value, i) => Math.abs(value - (got[k]?.[i] ?? Number.NaN))));
        expect(furthest, `${name}, output ${k}`).toBeLessThan(2e-5);
      }
      found[name] = readFiles(cwd, name).tasks.map(({ label, count }) => `${count} ${label}`);
    }
    expect(found).toMatchInlineSnapshot(`
      {
        "residual": [
          "1 conv_relu_1",
          "1 max_pool_1",
          "1 conv_relu_2",
          "1 conv_add_relu_1",
          "1 conv_relu_3",
          "1 conv_1",
          "1 conv_add_relu_2",
          "1 global_average_pool_1",
          "1 gemm_1",
        ],
        "transformer": [
          "1 gather_1",
          "2 layer_normalization_mul_add_1",
          "3 mat_mul_add_1",
          "1 transpose_transpose_mat_mul_more_1",
          "1 softmax_1",
          "1 transpose_mat_mul_transpose_1",
          "1 mat_mul_add_add_1",
          "1 mat_mul_add_gelu_1",
          "1 mat_mul_add_add_2",
        ],
        "unet": [
          "1 conv_swish_1",
          "1 max_pool_1",
          "1 conv_swish_2",
          "1 conv_transpose_1",
          "1 concat_1",
          "1 conv_swish_3",
          "1 conv_sigmoid_1",
          "1 resize_1",
        ],
      }
    `);
  });
});
