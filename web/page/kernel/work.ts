/**
 * The least work of one run of a program, for the roofline. The compiler counts it, so this module is in the compiler's chunk.
 */
import { dtypeBytes } from "@warpfarm/common";
import { arithmetic, decodeProgram } from "@warpfarm/compiler";
import type { Work } from "../model/roofline.ts";

/** Undefined for a program of source text, which does not say what it computes. */
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
