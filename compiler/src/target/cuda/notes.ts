/**
 * Notes for users on correct kernels: an array of a thread that does not fit into registers, or of which most is never accessed;
 * an annotation that the target ignores.
 */
import { dtypeBytes, type ManifestNote } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { eachPart, lanesOf, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../../lower/loops.ts";

/** Elements of an array that may be registers: a thread has 255. */
const mostLocal = 1024;
/** A smaller array is no problem, whatever part of it is used. */
const leastSparse = 32;

/**
 * The most elements of each array that are read: for each read the combinations of values of its index's variables. The read of a
 * sum's own output does not count.
 */
function takenOf(kernel: Kernel, analyzer: Analyzer): ReadonlyMap<Buffer, number> {
  const taken = new Map<Buffer, number>();
  const take = (into: Buffer | undefined) => (whole: Expr) =>
    walkExpr(whole, (e) => {
      if (e.kind !== "Load" || e.buffer === into || e.buffer.scope !== "local") return;
      const index = e.indices[0] as Expr;
      const { atoms } = analyzer.linear(index.kind === "Ramp" ? index.base : index);
      const values = atoms.reduce((product, { bounds: { lo, hi } }) => product * (hi - lo + 1), lanesOf(index));
      taken.set(e.buffer, (taken.get(e.buffer) ?? 0) + values);
    });
  const visit = (s: Stmt): void => eachPart(s, visit, take(s.kind === "Store" ? s.buffer : undefined));
  visit(kernel.func.body);
  return taken;
}

function localNotes(kernel: Kernel): ManifestNote[] {
  const large: Buffer[] = [];
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "Allocate" && s.buffer.scope === "local" && bufferSize(s.buffer) >= leastSparse) large.push(s.buffer);
  });
  if (large.length === 0) return [];
  const taken = takenOf(kernel, analyzerFor(kernel.func.body));
  return large.flatMap((buffer) => {
    const { name, dtype } = buffer;
    const size = bufferSize(buffer);
    const used = taken.get(buffer) ?? size;
    const array = `"${name}" of ${kernel.func.name} is an array of ${size} ${dtype} (${dtypeBytes(dtype, size)} bytes) in every thread`;
    if (2 * used < size) {
      const message = `${array}, of which at most ${used} elements are used: the parts that a thread computes lie apart; bind the loop between them to vthread`;
      return [{ rule: "local.sparse", message }];
    }
    if (size <= mostLocal) return [];
    const message = `${array}; registers hold at most 255, so it lies in memory: compute smaller tiles, or keep it in shared memory`;
    return [{ rule: "local.large", message }];
  });
}

/** Threads that a multiprocessor keeps. `level`: compute capability times ten. */
const residentThreads = (level: number): number => (level === 75 ? 1024 : level % 10 >= 6 || level >= 120 ? 1536 : 2048);

function boundNotes({ func, block, minBlocks }: Kernel, level: number): ManifestNote[] {
  const threads = block[0] * block[1] * block[2];
  const most = residentThreads(level);
  if (minBlocks === undefined || threads * minBlocks <= most) return [];
  const message = `minBlocks: ${minBlocks} blocks of ${threads} threads for ${func.name}; a multiprocessor of sm_${level} keeps ${most} threads, so the compiler ignores it`;
  return [{ rule: "minBlocks.ignored", message }];
}

/** Examines loops before they are unrolled. `level`: compute capability times ten. */
export function withNotes(kernel: Kernel, level: number): Kernel {
  const notes = [...localNotes(kernel), ...boundNotes(kernel, level)];
  if (notes.length === 0) return kernel;
  return { ...kernel, func: { ...kernel.func, notes: [...(kernel.func.notes ?? []), ...notes] } };
}
