/** What holds in every dialect: names are bound before use, types fit, extents are positive. */
import { bufferSize } from "../ir/buffer.ts";
import type { Rule } from "./rule.ts";

export const commonRules: readonly Rule[] = [
  {
    id: "ir.variable-in-scope",
    on: "expr",
    check: (e, scope) =>
      e.kind === "Var" && !scope.variables.has(e) ? `variable ${e.name} is used outside its loop` : undefined,
  },
  {
    id: "ir.buffer-in-scope",
    on: "expr",
    check: (e, scope) =>
      e.kind === "Load" && !scope.buffers.has(e.buffer) ? `${e.buffer.name} is read where it is not allocated` : undefined,
  },
  {
    id: "ir.buffer-in-scope",
    on: "stmt",
    check: (s, scope) =>
      s.kind === "Store" && !scope.buffers.has(s.buffer) ? `${s.buffer.name} is written where it is not allocated` : undefined,
  },
  {
    id: "ir.extent",
    on: "stmt",
    check: (s) =>
      s.kind === "For" && !(Number.isSafeInteger(s.extent) && s.extent >= 1)
        ? `loop ${s.loopVar.name} of extent ${s.extent}`
        : undefined,
  },
  {
    id: "ir.bound",
    on: "stmt",
    check: (s) =>
      s.kind === "For" && (s.forKind === "bound") !== (s.thread !== undefined)
        ? `loop ${s.loopVar.name} is ${s.forKind} with thread ${s.thread}`
        : undefined,
  },
  {
    id: "ir.variable-once",
    on: "stmt",
    check: (s, scope) =>
      s.kind === "For" && scope.variables.has(s.loopVar) ? `loop ${s.loopVar.name} stands inside itself` : undefined,
  },
  {
    id: "ir.store",
    on: "stmt",
    check: (s) =>
      s.kind === "Store" && (s.value.dtype !== s.buffer.dtype || s.indices.length !== s.buffer.shape.length)
        ? `a ${s.value.dtype} with ${s.indices.length} indices into ${s.buffer.name}: ${s.buffer.dtype}[${s.buffer.shape}]`
        : undefined,
  },
  {
    id: "ir.index-type",
    on: "expr",
    check: (e) =>
      e.kind === "Load" && e.indices.some((i) => i.dtype !== "int32") ? `an index of ${e.buffer.name} is not int32` : undefined,
  },
  {
    // Index arithmetic is int32: the last element's offset must fit.
    id: "ir.buffer-size",
    on: "stmt",
    check: (s, scope) => {
      const buffer = s.kind === "Allocate" || s.kind === "Store" ? s.buffer : undefined;
      if (s.kind === "Store" && !scope.func.params.includes(s.buffer)) return undefined;
      return buffer && bufferSize(buffer) > 2 ** 31 - 1
        ? `${buffer.name} has ${bufferSize(buffer)} elements; indices are int32, at most 2147483647`
        : undefined;
    },
  },
];
