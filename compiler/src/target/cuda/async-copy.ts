/**
 * Asynchronous copies from global to shared memory (cp.async, from sm_80): 4, 8 or 16 bytes at a time. Where a condition fails,
 * they write zeros and read nothing. Source: PTX ISA, "cp.async".
 */
import { dtypeBits } from "@warpfarm/common";
import type { Expr, Load } from "../../ir/expr.ts";
import { lanesOf } from "../../ir/visit.ts";
import { level } from "../c-family/operators.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter, Store } from "../c-family/printer.ts";
import { pointer } from "./place.ts";

const qualifier = "static __device__ __forceinline__";

export function asyncHelper(name: string): Helper | undefined {
  if (name === "cp_async_commit") return { text: `${qualifier} void ${name}() { asm volatile("cp.async.commit_group;"); }` };
  const wait = /^cp_async_wait_(\d+)$/.exec(name);
  if (wait) return { text: `${qualifier} void ${name}() { asm volatile("cp.async.wait_group ${wait[1]};" : : : "memory"); }` };
  const copy = /^cp_async_(4|8|16)(_or_zero)?$/.exec(name);
  if (!copy) return undefined;
  const [, bytes, orZero] = copy;
  // Copies of 16 bytes bypass the first-level cache, where no other block would find them, and the second-level cache fetches the
  // whole line.
  const [cache, ahead] = bytes === "16" ? ["cg", ".L2::128B"] : ["ca", ""];
  const [size, more, given] = orZero
    ? [", %2", ', "r"(there ? BYTES : 0)'.replace("BYTES", bytes ?? ""), ", bool there"]
    : ["", "", ""];
  return {
    text: `${qualifier} void ${name}(void *to, const void *from${given}) {
  asm volatile("cp.async.${cache}.shared.global${ahead} [%0], [%1], ${bytes}${size};" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from)${more} : "memory");
}`,
  };
}

const isZero = (e: Expr): boolean =>
  e.kind === "Broadcast" ? isZero(e.value) : (e.kind === "FloatImm" || e.kind === "IntImm") && Object.is(e.value, 0);

const isGlobal = (e: Expr, lanes: number): e is Load =>
  e.kind === "Load" && e.buffer.scope === "global" && (lanes === 1 || e.indices[0]?.kind === "Ramp");

function copied(value: Expr, lanes: number): { readonly from: Load; readonly when?: Expr } | undefined {
  if (isGlobal(value, lanes)) return { from: value };
  return value.kind === "Select" && isGlobal(value.whenTrue, lanes) && isZero(value.whenFalse) && lanesOf(value.cond) === 1
    ? { from: value.whenTrue, when: value.cond }
    : undefined;
}

const start = (e: Expr): Expr => (e.kind === "Ramp" ? e.base : e);

export function printAsyncCopy(printer: CPrinter, { buffer, indices, value }: Store): boolean {
  const index = indices[0] as Expr;
  const lanes = lanesOf(index);
  const bytes = (lanes * dtypeBits(buffer.dtype)) / 8;
  const copy = copied(value, lanes);
  if (!copy || buffer.scope !== "shared" || ![4, 8, 16].includes(bytes)) return false;
  const { from, when } = copy;
  const to = pointer(printer, buffer, start(index), lanes);
  const source = pointer(printer, from.buffer, start(from.indices[0] as Expr), lanes);
  const name = printer.prelude.use(`cp_async_${bytes}${when ? "_or_zero" : ""}`);
  if (!when) printer.line(`${name}(${to}, ${source});`);
  else {
    const there = printer.expr(when);
    // The address must be valid even where nothing is read.
    const safe = `${printer.expr(when, level.or)} ? ${source} : ${printer.names.get(from.buffer)}`;
    printer.line(`${name}(${to}, ${safe}, ${there});`);
  }
  return true;
}
