/** Rules of every dialect: names are bound before use, types fit, extents are positive, indices fit int32. */
import { type Buffer, bufferSpan, mostElements } from "../ir/buffer.ts";
import type { Table } from "../ir/expr.ts";
import { touches, touchingKinds } from "../ir/parts.ts";
import { type Rule, rule } from "./rule.ts";
import { intrinsicRules } from "./team.ts";

const orderly = new WeakMap<Table, boolean>();
/** Whether each number below the table's length occurs exactly once. Then no place is visited twice or left out. */
function isOrder(table: Table): boolean {
  const known = orderly.get(table);
  if (known !== undefined) return known;
  const { values } = table;
  const isPlace = (value: number) => Number.isInteger(value) && value >= 0 && value < values.length;
  const is = new Set(values).size === values.length && values.every(isPlace);
  orderly.set(table, is);
  return is;
}
const tooLarge = (buffer: Buffer): string | undefined =>
  bufferSpan(buffer) > mostElements
    ? `${buffer.name} has ${bufferSpan(buffer)} elements; indices are int32, at most ${mostElements}`
    : undefined;

export const commonRules: readonly Rule[] = [
  ...intrinsicRules,
  rule("ir.variable-in-scope", "Var", (v, scope) =>
    scope.variables.has(v) ? undefined : `variable ${v.name} is used outside its loop`,
  ),
  rule("ir.buffer-in-scope", "Load", (e, scope) =>
    scope.buffers.has(e.buffer) ? undefined : `${e.buffer.name} is read where it is not allocated`,
  ),
  rule("ir.buffer-in-scope", touchingKinds, (s, scope) => {
    const outside = touches(s).find(({ buffer }) => !scope.buffers.has(buffer));
    return outside && `${outside.buffer.name} is ${outside.how === "read" ? "read" : "written"} where it is not allocated`;
  }),
  rule("ir.lookup", "Lookup", ({ table }) =>
    isOrder(table) ? undefined : `the table ${table.name} does not have each of its ${table.values.length} places once`,
  ),
  rule("ir.extent", "For", (s) =>
    Number.isSafeInteger(s.extent) && s.extent >= 1 && s.extent <= mostElements
      ? undefined
      : `loop ${s.loopVar.name} of extent ${s.extent}; 1 to ${mostElements}`,
  ),
  rule("ir.bound", "For", (s) =>
    (s.forKind === "bound") === (s.thread !== undefined)
      ? undefined
      : `loop ${s.loopVar.name} is ${s.forKind} with thread ${s.thread}`,
  ),
  rule("ir.variable-once", "For", (s, scope) =>
    scope.variables.has(s.loopVar) ? `loop ${s.loopVar.name} stands inside itself` : undefined,
  ),
  rule("ir.store", "Store", (s) =>
    s.value.dtype === s.buffer.dtype && s.indices.length === s.buffer.shape.length
      ? undefined
      : `a ${s.value.dtype} with ${s.indices.length} indices into ${s.buffer.name}: ${s.buffer.dtype}[${s.buffer.shape}]`,
  ),
  rule("ir.index-type", ["Load", "Store"], (access) =>
    access.indices.every((index) => index.dtype === "int32") ? undefined : `an index of ${access.buffer.name} is not int32`,
  ),
  rule("ir.buffer-size", "Allocate", (s) => tooLarge(s.buffer)),
  rule("ir.buffer-size", ["For", "Store", "Seq"], (_, scope) => {
    // Checks the arguments once, at the function's first statement.
    return scope.loops.length === 0 ? scope.func.params.map(tooLarge).find((wrong) => wrong !== undefined) : undefined;
  }),
];
