/**
 * What threads write to shared memory for tensor cores to read (Intrinsic.engine) goes through another proxy: each thread fences
 * its writes, and the barrier that insertBarriers puts before the product makes them known. So a fence follows each stage that
 * writes such a tile:
 *
 *   stage P: P[..] = ..                   stage P: P[..] = ..
 *   product of P, V            ->         fence
 *                                         product of P, V
 *
 * What the copy engine brings needs none. The pass runs before insertBarriers. Source: PTX ISA, "Async proxy".
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { isProduct, touches } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapStmt, walkStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";

/** Arrays in shared memory that tensor cores read and that threads write. */
export function tilesOfThreads(body: Stmt): ReadonlySet<Buffer> {
  const read = new Set<Buffer>();
  const written = new Set<Buffer>();
  walkStmt(body, (s) => {
    if (s.kind === "Store") written.add(s.buffer);
    if (isProduct(s)) for (const { buffer, how } of touches(s)) if (how === "read" && buffer.scope === "shared") read.add(buffer);
  });
  return new Set([...read].filter((buffer) => written.has(buffer)));
}

function fenced(body: Stmt, tiles: ReadonlySet<Buffer>): Stmt {
  let writes = false;
  const run = (s: Stmt): Stmt => {
    if (s.kind === "Store") writes ||= tiles.has(s.buffer);
    if (s.kind !== "Stage") return mapStmt(s, run, (e) => e);
    const outer = writes;
    writes = false;
    const made = mapStmt(s, run, (e) => e);
    const own = writes;
    writes = outer;
    return own ? b.seq([made, { kind: "Fence" }]) : made;
  };
  return run(body);
}

export const fenceTiles = definePass<"lowered", "lowered">("fence-tiles", (func) => {
  const tiles = tilesOfThreads(func.body);
  return tiles.size > 0 ? withBody(func, fenced(func.body, tiles)) : func;
});
