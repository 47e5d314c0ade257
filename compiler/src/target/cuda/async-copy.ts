/**
 * Asynchronous copies from global to shared memory (cp.async, from sm_80): 4, 8 or 16 bytes at a time. Where a condition fails,
 * they write zeros and read nothing. Source: PTX ISA, "cp.async".
 */
import { dtypeBits } from "@warpfarm/common";
import { and } from "../../ir/build.ts";
import type { Expr, Load } from "../../ir/expr.ts";
import { lanesOf, someExpr } from "../../ir/visit.ts";
import { conjuncts } from "../../lower/loops.ts";
import { level } from "../c-family/operators.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter, Store } from "../c-family/printer.ts";
import { addressOperand, qualifier } from "./pieces.ts";
import { pointer } from "./place.ts";

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
  // The address must be valid even where nothing is read.
  const [size, from, more, given] = orZero
    ? [", %2", "there ? from : valid", `, "r"(there ? ${bytes} : 0)`, ", const void *valid, bool there"]
    : ["", "from", "", ""];
  return {
    text: `${qualifier} void ${name}(void *to, const void *from${given}) {
  asm volatile("cp.async.${cache}.shared.global${ahead} [%0], [%1], ${bytes}${size};" : : ${addressOperand("to")}, "l"(${from})${more} : "memory");
}`,
  };
}

const isZero = (e: Expr): boolean =>
  e.kind === "Broadcast" ? isZero(e.value) : (e.kind === "FloatImm" || e.kind === "IntImm") && Object.is(e.value, 0);

const isGlobal = (e: Expr, lanes: number): e is Load =>
  e.kind === "Load" && e.buffer.scope === "global" && (lanes === 1 || e.indices[0]?.kind === "Ramp");

function copied(value: Expr, lanes: number): { readonly from: Load; readonly when?: Expr } | undefined {
  if (isGlobal(value, lanes)) return { from: value };
  if (value.kind !== "Select" || !isZero(value.whenFalse) || lanesOf(value.cond) > 1) return undefined;
  const inner = copied(value.whenTrue, lanes);
  return inner && { from: inner.from, when: inner.when ? and(value.cond, inner.when) : value.cond };
}

/** Is its value always there, whatever a condition around it says? */
const isSafe = (e: Expr): boolean => !someExpr(e, ({ kind }) => kind === "Load" || kind === "Lookup");

const start = (e: Expr): Expr => (e.kind === "Ramp" ? e.base : e);

export function printAsyncCopy(printer: CPrinter, { buffer, indices, value }: Store): boolean {
  const index = indices[0] as Expr;
  const lanes = lanesOf(index);
  const bytes = (lanes * dtypeBits(buffer.dtype)) / 8;
  const copy = copied(value, lanes);
  if (!copy || buffer.scope !== "shared" || ![4, 8, 16].includes(bytes)) return false;
  const { from, when } = copy;
  if (when && ![when, ...from.indices].every(isSafe)) return false;
  const to = pointer(printer, buffer, start(index), lanes);
  const source = pointer(printer, from.buffer, start(from.indices[0] as Expr), lanes);
  const name = printer.prelude.use(`cp_async_${bytes}${when ? "_or_zero" : ""}`);
  // All tests are done: where the first ones decide, divisions that several copies share would be behind branches.
  const there = when && conjuncts(when).map((term) => printer.expr(term, level.equality));
  const valid = there ? `, ${printer.names.get(from.buffer)}, ${there.join(" & ")}` : "";
  printer.line(`${name}(${to}, ${source}${valid});`);
  return true;
}
