/** Rules of the dialect `device` for kernels of a processor, whose outer loops OpenMP runs. */
import { dtypeBytes, isPacked } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { machineKinds } from "../ir/parts.ts";
import { described } from "../ir/print.ts";
import type { For } from "../ir/stmt.ts";
import { usesVar } from "../ir/visit.ts";
import { type Rule, rule } from "./rule.ts";

/** More would overflow the stack of an OpenMP thread (8 MiB by default, 2 in places). */
const maxStackBytes = 1 << 20;

/** Packed types take a byte an element there. */
const stackBytes = ({ dtype, shape }: Buffer): number => (isPacked(dtype) ? (shape[0] ?? 1) : dtypeBytes(dtype, shape[0]));

export const hostRules: readonly Rule[] = [
  rule("device.bound", "For", (s) =>
    s.forKind === "bound"
      ? `loop ${s.loopVar.name} is bound to ${s.thread}; the cpu target has no threads to bind to, use parallel`
      : undefined,
  ),
  rule("device.machine", machineKinds, (s) => `${described(s)} on the cpu target, which has none`),
  rule("device.stack", "Allocate", (s, scope) => {
    let bytes = stackBytes(s.buffer);
    for (const [buffer, depth] of scope.buffers) if (depth > 0) bytes += stackBytes(buffer);
    return bytes > maxStackBytes
      ? `${bytes} bytes of arrays inside loops, with ${s.buffer.name}; at most ${maxStackBytes}`
      : undefined;
  }),
  rule("device.race", "Store", (s, scope) => {
    const outside = scope.buffers.get(s.buffer) ?? 0;
    const tells = ({ loopVar }: For) =>
      s.indices.some((e) => usesVar(e, loopVar)) || scope.conditions.some((e) => usesVar(e, loopVar));
    const loop = scope.loops.slice(outside).find((l) => l.forKind === "parallel" && l.extent > 1 && !tells(l));
    return loop && `all iterations of the parallel loop ${loop.loopVar.name} write one element of ${s.buffer.name}`;
  }),
];
