/**
 * Kernels that start while the one before them ends (schedule/primitives/dependent.ts). Such a kernel waits just before the first
 * statement that touches memory which any kernel of the program writes: until then it may do anything with inputs and with memory
 * of its own. It always waits, so what comes after it in the run may take all that came before for done. The kernel before it
 * says at its end that the next may start.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { paramsWritten } from "../../ir/visit.ts";
import { buffersUsed } from "./split-kernels.ts";

export const touchesAny = (s: Stmt, buffers: ReadonlySet<Buffer>): boolean =>
  [...buffersUsed(s)].some((buffer) => buffers.has(buffer));

function waiting(s: Stmt, written: ReadonlySet<Buffer>): Stmt {
  if (!touchesAny(s, written)) return b.seq([s, b.handover("wait")]);
  if (s.kind === "Allocate" || s.kind === "AllocChannel" || isRemark(s) || (s.kind === "For" && s.forKind === "bound"))
    return { ...s, body: waiting(s.body, written) };
  if (s.kind !== "Seq") return b.seq([b.handover("wait"), s]);
  const first = s.stmts.findIndex((child) => touchesAny(child, written));
  return b.seq(s.stmts.map((child, i) => (i === first ? waiting(child, written) : child)));
}

function releasing(s: Stmt): Stmt {
  if (s.kind === "Allocate" || s.kind === "AllocChannel" || (s.kind === "For" && s.forKind === "bound"))
    return { ...s, body: releasing(s.body) };
  return b.seq([s, b.handover("release")]);
}

export function handOver(kernels: readonly Kernel[]): readonly Kernel[] {
  if (!kernels.some(({ dependent }) => dependent)) return kernels;
  const written = paramsWritten(kernels);
  return kernels.map((kernel, i) => {
    const { func, dependent } = kernel;
    const waited = dependent ? waiting(func.body, written) : func.body;
    const body = kernels[i + 1]?.dependent ? releasing(waited) : waited;
    const awaited = dependent ? { awaited: new Set(func.params.filter((buffer) => written.has(buffer))) } : {};
    return body === func.body ? kernel : { ...kernel, ...awaited, func: { ...func, body } };
  });
}
