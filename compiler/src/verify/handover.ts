/**
 * Rules of a run in which one kernel starts while the previous one ends: it waits, once and by all its threads, before it
 * accesses memory that a kernel of the run writes. Then all earlier kernels have ended, for it and for all later ones.
 */
import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { touches } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { Stmt } from "../ir/stmt.ts";
import { eachPart, paramsWritten, walkExpr } from "../ir/visit.ts";

function* inOrder(s: Stmt, always = true): Generator<{ readonly s: Stmt; readonly always: boolean }> {
  yield { s, always };
  const parts: Stmt[] = [];
  eachPart(
    s,
    (part) => parts.push(part),
    () => {},
  );
  const once = s.kind !== "If" && (s.kind !== "For" || s.forKind === "bound");
  for (const part of parts) yield* inOrder(part, always && once);
}

function touched(s: Stmt, written: ReadonlySet<Buffer>): Buffer | undefined {
  const buffers = touches(s).map(({ buffer }) => buffer);
  eachPart(
    s,
    () => {},
    (e) =>
      walkExpr(e, (part) => {
        if (part.kind === "Load") buffers.push(part.buffer);
      }),
  );
  return buffers.find((buffer) => written.has(buffer));
}

function wrongIn({ func }: Kernel, written: ReadonlySet<Buffer>): string | undefined {
  for (const { s, always } of inOrder(func.body)) {
    if (s.kind === "Handover" && s.what === "wait")
      return always ? undefined : "waits for it under a condition or in a loop; all threads wait, once";
    const found = touched(s, written);
    if (found) return `touches ${found.name}, which a kernel of the run writes, without having waited for it`;
  }
  return "never waits for it";
}

export function verifyHandover(kernels: readonly Kernel[]): readonly Refusal[] {
  if (!kernels.some(({ dependent }) => dependent)) return [];
  const written = paramsWritten(kernels);
  return kernels.flatMap((kernel, i): Refusal[] => {
    if (!kernel.dependent) return [];
    const wrong = i === 0 ? "there is none" : wrongIn(kernel, written);
    const message = `${kernel.func.name} starts before the kernel before it has ended, but ${wrong}`;
    return wrong === undefined ? [] : [{ rule: "device.dependent", message }];
  });
}
