/**
 * Match keys, selectors and targets (design §3a).
 *   key       `cuda/sm_90` (a node's device), `cpu/x86-64-v1` .. `v4`, `cpu/arm64`
 *   selector  key[,condition]*   where key may be `cuda/sm_80+` (at least), `cuda/*`, `cuda`, and the same for cpu, and a condition is
 *             label=value, or memory>=NGB: so many times 10^9 bytes on the device, as vendors count them
 *   target    what code is built for: a key, for CUDA also with the suffix a (`cuda/sm_90a`)
 */
import { FarmError } from "./farm-error.ts";

export type Backend = "cpu" | "cuda";

export interface Selector {
  readonly backend: Backend;
  /** Exact key, a least level, or any of the backend. */
  readonly match:
    | { readonly kind: "exact"; readonly key: string }
    | { readonly kind: "atLeast"; readonly key: string }
    | { readonly kind: "any" }
    | { readonly kind: "only" };
  readonly labels: Readonly<Record<string, string>>;
  /** The device has at least so much; 0 = any. */
  readonly memoryBytes: number;
}

/** What a selector looks at. */
export interface SelectableDevice {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
}

const GB = 1e9;
const KEY = /^(?:cuda\/sm_\d{2,3}|cpu\/(?:x86-64-v[1-4]|arm64))$/;
const TARGET = /^(?:cuda\/sm_\d{2,3}a?|cpu\/(?:x86-64-v[1-4]|arm64))$/;
export const isMatchKey = (text: string): boolean => KEY.test(text);
export const isTarget = (text: string): boolean => TARGET.test(text);
export const backendOf = (key: string): Backend => (key.startsWith("cuda") ? "cuda" : "cpu");

/** Number that orders keys of one family: sm number, or x86-64 level. arm64 is a family of its own. */
function family(key: string): { readonly name: string; readonly level: number } {
  const cuda = /^cuda\/sm_(\d+)/.exec(key);
  if (cuda) return { name: "cuda", level: Number(cuda[1]) };
  const x86 = /^cpu\/x86-64-v(\d)$/.exec(key);
  return x86 ? { name: "x86-64", level: Number(x86[1]) } : { name: key, level: 0 };
}

/** Throws FarmError INVALID_ARGUMENT naming the text and what is allowed. */
export function parseSelector(text: string): Selector {
  const bad = (why: string): never => {
    throw new FarmError(
      "INVALID_ARGUMENT",
      `selector ${JSON.stringify(text)}: ${why}; write cpu/x86-64-v3, cuda/sm_90, cuda/sm_80+, cuda/* or cuda, then ,label=value or ,memory>=40GB`,
    );
  };
  const [head = "", ...rest] = text.split(",");
  const labels: Record<string, string> = {};
  let memoryBytes = 0;
  for (const pair of rest) {
    const memory = /^memory>=(\d{1,6})GB$/.exec(pair);
    if (memory) {
      memoryBytes = Math.max(memoryBytes, Number(memory[1]) * GB);
      continue;
    }
    const m = /^([A-Za-z_][\w.-]{0,62})=([\w.:/-]{0,128})$/.exec(pair) ?? bad(`"${pair}" is neither label=value nor memory>=NGB`);
    labels[m[1] as string] = m[2] as string;
  }
  if (head === "cuda" || head === "cpu") return { backend: head, match: { kind: "only" }, labels, memoryBytes };
  if (head === "cuda/*" || head === "cpu/*") return { backend: backendOf(head), match: { kind: "any" }, labels, memoryBytes };
  const atLeast = head.endsWith("+");
  const key = atLeast ? head.slice(0, -1) : head;
  if (!KEY.test(key)) bad(`"${head}" is not a match key`);
  return { backend: backendOf(key), match: { kind: atLeast ? "atLeast" : "exact", key }, labels, memoryBytes };
}

/** Does this device satisfy the selector? `only` must be resolved to `exact` first. */
export function selects(selector: Selector, { key, labels, memoryBytes }: SelectableDevice): boolean {
  if (memoryBytes < selector.memoryBytes) return false;
  for (const [name, value] of Object.entries(selector.labels)) if (labels[name] !== value) return false;
  if (backendOf(key) !== selector.backend) return false;
  switch (selector.match.kind) {
    case "any":
    case "only":
      return true;
    case "exact":
      return selector.match.key === key;
    case "atLeast": {
      const want = family(selector.match.key);
      const have = family(key);
      return want.name === have.name && have.level >= want.level;
    }
  }
}

/** Can code built for `target` run on a device of this key? x86 levels and sm numbers are upward compatible as CPU code; cubins are not. */
export function runsOn(target: string, key: string): boolean {
  if (backendOf(target) === "cuda") return target.replace(/a$/, "") === key;
  const want = family(target);
  const have = family(key);
  return want.name === have.name && have.level >= want.level;
}
