/**
 * Selectors of devices: key[,condition]*. The key is a device's match key, `cuda/sm_80+` (at least), `cuda/*` or `cuda`, and the
 * same for each backend. A condition is label=value, or memory>=NGB: N times 10^9 bytes on the device, as vendors count them.
 */
import { backends } from "./backend/index.ts";
import { badInput } from "./farm-error.ts";
import { own } from "./names.ts";
import { backendOf, isMatchKey, keyOf, parseTarget, runsOn } from "./target.ts";

export interface Selector {
  readonly backend: string;
  readonly match:
    | { readonly kind: "exact"; readonly key: string }
    | { readonly kind: "atLeast"; readonly key: string }
    | { readonly kind: "any" }
    | { readonly kind: "only" };
  readonly labels: Readonly<Record<string, string>>;
  /** The least memory of the device; 0 = any. */
  readonly memoryBytes: number;
}

interface SelectableDevice {
  /** The node's name, for the condition `node` where the worker has no label of that name. */
  readonly node?: string;
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
}

const GB = 1e9;

/** Whether the key is of the family of `least`, and of its level or a higher one. */
function isAtLeast(key: string, least: string): boolean {
  const [have, want] = [parseTarget(key), parseTarget(least)];
  const { familyOf } = backends.of(want.kind);
  return have.kind === want.kind && familyOf(have) === familyOf(want) && have.level >= want.level;
}

function selectorWords(): string {
  const words = backends.names.flatMap((name) => [backends.of(name).atLeastExample, `${name}/*`, name]);
  const keys = backends.all.flatMap((backend) => backend.keyWords);
  return [...keys, ...words.slice(0, -1)].join(", ").concat(` or ${words.at(-1)}`);
}

/** Throws FarmError INVALID_ARGUMENT that names the text and what is allowed. */
export function parseSelector(text: string): Selector {
  const bad = (why: string): never => {
    throw badInput(`selector ${JSON.stringify(text)}: ${why}; write ${selectorWords()}, then ,label=value or ,memory>=40GB`);
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
    const m =
      /^([A-Za-z_][\w.-]{0,62})=([\w.:/-]{0,128})$/.exec(pair) ??
      bad(`${JSON.stringify(pair)} is neither label=value nor memory>=NGB`);
    const [, name = "", value = ""] = m;
    if (name === "__proto__") bad(`no label is named ${name}`);
    labels[name] = value;
  }
  const backend = backendOf(head);
  if (backends.has(head)) return { backend, match: { kind: "only" }, labels, memoryBytes };
  if (backends.has(backend) && head === `${backend}/*`) return { backend, match: { kind: "any" }, labels, memoryBytes };
  const atLeast = head.endsWith("+");
  const key = atLeast ? head.slice(0, -1) : head;
  if (!isMatchKey(key)) bad(`${JSON.stringify(head)} is not a match key`);
  return { backend, match: { kind: atLeast ? "atLeast" : "exact", key }, labels, memoryBytes };
}

const labelOf = ({ labels, node }: SelectableDevice, name: string): string | undefined =>
  own(labels, name) ?? (name === "node" ? node : undefined);

/** Whether this device satisfies the selector. `only` must be resolved to `exact` first. */
export function selects(selector: Selector, device: SelectableDevice): boolean {
  const { key, memoryBytes } = device;
  if (memoryBytes < selector.memoryBytes) return false;
  for (const [name, value] of Object.entries(selector.labels)) if (labelOf(device, name) !== value) return false;
  if (backendOf(key) !== selector.backend) return false;
  switch (selector.match.kind) {
    case "any":
    case "only":
      return true;
    case "exact":
      return selector.match.key === key;
    case "atLeast":
      return isAtLeast(key, selector.match.key);
  }
}

/**
 * Why none of these devices satisfies the selector: the first of its conditions that none of those left meets (key, labels in
 * order, memory), and what they have instead. Undefined when one satisfies it.
 */
export function whyNoDevice(selector: Selector, devices: readonly SelectableDevice[]): string | undefined {
  const { match, backend, labels, memoryBytes } = selector;
  const anyOf = { ...selector, labels: {}, memoryBytes: 0 };
  const words = "key" in match ? `${match.key}${match.kind === "atLeast" ? " or later" : ""}` : backend;
  let left = devices.filter((device) => selects(anyOf, device));
  if (left.length === 0) return `it has no device ${words}; its devices are ${listed(devices.map(({ key }) => key))}`;
  for (const [name, value] of Object.entries(labels)) {
    const before = left;
    left = left.filter((device) => labelOf(device, name) === value);
    if (left.length > 0) continue;
    const there = listed(before.flatMap((device) => labelOf(device, name) ?? []));
    return `none of its devices ${words} has ${name}=${value}; their ${name} is ${there}`;
  }
  const most = Math.max(...left.map((device) => device.memoryBytes));
  if (most >= memoryBytes) return undefined;
  return `none of its devices ${words} that meet the other conditions has ${memoryBytes / GB} GB of memory; the most is ${Math.floor(most / GB)} GB`;
}

function listed(texts: readonly string[]): string {
  const once = [...new Set(texts)].sort();
  return once.length === 0 ? "not set" : once.join(", ");
}

/** Whether a device exists that satisfies the selector and runs code for the target. */
export function canReach(selector: Selector, target: string): boolean {
  const { match, backend } = selector;
  if (backendOf(target) !== backend) return false;
  if (match.kind !== "exact" && match.kind !== "atLeast") return true;
  const isReached = (key: string) => runsOn(target, key) && (match.kind === "exact" || isAtLeast(key, match.key));
  return isReached(match.key) || (match.kind === "atLeast" && isReached(keyOf(target)));
}
