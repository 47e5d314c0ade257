/**
 * What the printed vectors of narrow elements mean, said by compilers that know nothing of us: the machine's own, which runs the
 * texts without PTX, and ptxas, which folds constants.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DType, dtypeBits } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { nvccSays } from "../../../../test-support/nvcc.ts";
import { runCudaOnHost } from "../../../../test-support/run-c.ts";
import { compileProgram } from "../../compile.ts";
import { evaluate } from "../../interp/evaluate.ts";
import { createData, type TensorData } from "../../ir/numeric.ts";
import { createSchedule } from "../../schedule/schedule.ts";
import type { LoopRef } from "../../schedule/state.ts";
import { compute, placeholder } from "../../te/compute.ts";
import * as te from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { cudaPrelude } from "./codegen.ts";
import { vectorType } from "./dtype.ts";

function inFolder<T>(use: (path: (name: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-vectors-"));
  try {
    return use((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const narrow: readonly DType[] = ["float16", "bfloat16", "float8_e4m3fn", "int8", "uint8", "bool"];

it("a vector of narrow elements has its size and alignment, and a splat has its element in every lane", (ctx) => {
  needs(ctx, "c++");
  const prelude = cudaPrelude();
  const vectors = narrow.flatMap((dtype) =>
    [2, 4, 8, 16].filter((lanes) => lanes * dtypeBits(dtype) <= 128).map((lanes) => ({ dtype, lanes })),
  );
  const lines = vectors.map(({ dtype, lanes }) => {
    const type = vectorType(dtype, lanes);
    const splat = prelude.use(`splat_${type}`);
    return `  { const ${type} v = ${splat}(${dtypeBits(dtype) === 16 ? "0x81a5" : "(signed char)0xa5"});
    unsigned char bytes[16]; memcpy(bytes, &v, sizeof v);
    printf("${type} %zu %zu", sizeof v, alignof(${type}));
    for (size_t i = 0; i < sizeof v; ++i) printf(" %02x", bytes[i]);
    printf("\\n"); }`;
  });
  const words = "#define __device__\n#define __forceinline__ inline\n#define __align__(n) __attribute__((aligned(n)))\n";
  const text = `#include <stdio.h>\n#include <string.h>\n${words}${prelude.text}\nint main() {\n${lines.join("\n")}\n}\n`;
  const said = inFolder((path) => {
    writeFileSync(path("main.cpp"), text);
    execFileSync("c++", ["-O1", "-Wall", "-Werror", "-o", path("run"), path("main.cpp")]);
    return execFileSync(path("run"), { encoding: "utf8" }).trim().split("\n");
  });
  const expected = vectors.map(({ dtype, lanes }) => {
    const bytes = (dtypeBits(dtype) / 8) * lanes;
    const each = dtypeBits(dtype) === 16 ? "a5 81" : "a5";
    return `${vectorType(dtype, lanes)} ${bytes} ${bytes} ${new Array(lanes).fill(each).join(" ")}`;
  });
  expect(vectors).toHaveLength(6 * 3 + 4);
  expect(said).toEqual(expected);
});

describe("lanes", () => {
  const n = 64;
  /** Arithmetic with a choice between a vector and a constant in it, such a choice alone, and one of what registers have. */
  function texts(dtype: DType, lanes: number) {
    const [a, b] = [placeholder("a", [n], dtype), placeholder("b", [n], dtype)];
    const out = compute(
      "out",
      [
        ["g", 4],
        ["i", n / 4],
      ],
      (g, i) => {
        const at = te.add(te.mul(g, n / 4), i);
        const [x, y] = [te.at(a, at), te.at(b, at)];
        const most = te.maximum(te.add(te.mul(x, y), te.sub(x, 3)), te.select(te.less(g, 3), y, 5));
        // Some are negative.
        return te.sub(most, te.mul(x, 2));
      },
    );
    const filled = compute(
      "filled",
      [
        ["g", 4],
        ["i", n / 4],
      ],
      (g, i) => te.select(te.less(g, 3), te.at(a, te.add(te.mul(g, n / 4), i)), 7),
    );
    const axes = [
      ["g", 4],
      ["i", n / 4],
    ] as const;
    const kept = compute("kept", axes, (g, i) => te.at(a, te.add(te.mul(g, n / 4), i)));
    const chosen = compute("chosen", axes, (g, i) =>
      te.select(te.less(g, 3), te.sub(te.at(kept, g, i), 2), te.mul(te.at(kept, g, i), 3)),
    );
    const graph = graphOf([a, b], [out, filled, chosen]);
    const schedule = createSchedule(graph);
    schedule.setScope(schedule.stage("kept"), "local");
    for (const name of ["out", "filled", "chosen"]) {
      const [g, i] = schedule.axes(schedule.stage(name)) as [LoopRef, LoopRef];
      const [thread, lane] = schedule.split(i, [null, lanes]) as [LoopRef, LoopRef];
      schedule.bind(g, "blockIdx.x");
      schedule.bind(thread, "threadIdx.x");
      schedule.vectorize(lane);
      if (name === "chosen") schedule.computeAt(schedule.stage("kept"), schedule.stage(name), thread);
    }
    const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_80", graph, trace: schedule.trace });
    if (!made.ok) throw new Error(made.error.message);
    return { graph, text: made.value };
  }
  const inputs = (dtype: DType): Map<string, TensorData> =>
    new Map(
      ["a", "b"].map((name, k) => {
        const data = createData(dtype, n);
        for (let i = 0; i < n; i++) data[i] = dtype === "bfloat16" ? ((i * 37 + k * 11) % 128) - 60.5 : (i * 29 + k * 53) % 120;
        if (dtype === "bfloat16") data.set([Number.NaN, Infinity, -Infinity, -0, 2 ** -130], k * 3);
        return [name, data];
      }),
    );
  it.for([
    ["bfloat16", 2],
    ["bfloat16", 4],
    ["bfloat16", 8],
    ["int8", 2],
    ["int8", 4],
    ["int8", 16],
    ["uint8", 8],
  ] as const)("of %s, %i at a time, are those of the interpreter", ([dtype, lanes], ctx) => {
    needs(ctx, "c++");
    const { graph, text } = texts(dtype, lanes);
    expect(text.text).toContain(`*(${vectorType(dtype, lanes)} *)(out`);
    const given = inputs(dtype);
    const got = runCudaOnHost(text, given, ["-ffp-contract=off"]);
    const expected = evaluate(graph, given);
    for (const { name } of graph.outputs) expect(got.get(name), name).toEqual(expected.get(name));
    // What registers have is stored as vectors, too.
    expect(text.text).toContain(`*(${vectorType(dtype, lanes)} *)(chosen`);
  });
});

it("of two floats the first becomes the lower half, in whatever way the target converts them", (ctx) => {
  needs(ctx, "nvcc");
  const floats = "1.0f, -2.5f";
  const isIn = (isHopper: boolean, type: "f16" | "bf16", word: number): boolean => {
    const prelude = cudaPrelude(isHopper);
    const value = prelude.call(`f32_to_${type}x2`, floats);
    const text = `${prelude.text}\nextern "C" __global__ void k(unsigned int *p) { *p = ${value}; }\n`;
    const flags = ["-cubin", isHopper ? "-arch=sm_90a" : "-arch=sm_80"];
    return nvccSays([flags, word, text], () =>
      inFolder((path) => {
        writeFileSync(path("k.cu"), text);
        execFileSync("nvcc", [...flags, "-o", path("k.cubin"), path("k.cu")]);
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32LE(word);
        return readFileSync(path("k.cubin")).includes(bytes);
      }),
    );
  };
  // 1 is 3c00 in float16 and 3f80 in bfloat16, -2.5 is c100 and c020.
  expect(isIn(true, "f16", 0xc1003c00)).toBe(true);
  expect(isIn(false, "f16", 0xc1003c00)).toBe(true);
  expect(isIn(false, "bf16", 0xc0203f80)).toBe(true);
  // ptxas folds no cvt.rn.bf16x2; the texts of both types are one but for its name.
  const textOf = (type: string) => {
    const prelude = cudaPrelude(true);
    prelude.use(`f32_to_${type}x2`);
    return prelude.text;
  };
  expect(textOf("bf16")).toBe(textOf("f16").replaceAll("f16", "bf16"));
});
