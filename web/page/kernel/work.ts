/** What one run of a program does at least, for the roofline: by the compiler, so it comes with the chunk that has it. */
import { dtypeBytes } from "@warpfarm/common";
import { arithmetic, decodeProgram } from "@warpfarm/compiler";
import type { Work } from "../model/roofline.ts";

/** Undefined: a program of text says nothing of what it computes. */
export function workOf(text: string): Work | undefined {
  const decoded = decodeProgram(new TextEncoder().encode(text) as Parameters<typeof decodeProgram>[0]);
  if (!decoded.ok || decoded.value.kind !== "schedule") return undefined;
  const { graph } = decoded.value;
  const bytes = [...graph.inputs, ...graph.outputs].map(({ dtype, shape }) =>
    dtypeBytes(
      dtype,
      shape.reduce((a, b) => a * b, 1),
    ),
  );
  return { flops: arithmetic(graph), bytes: bytes.reduce((a, b) => a + b, 0), dtype: graph.inputs[0]?.dtype ?? "" };
}
