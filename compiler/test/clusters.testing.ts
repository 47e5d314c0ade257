/** Kernels with clusters for tests: products, their text, and faults in them. */
import { parseTarget, Random } from "@warpfarm/common";
import { expect } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { type Product, scheduleOf } from "../../test-support/programs/warpgroups.ts";
import { compileProgram } from "../src/compile.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { interpretKernels } from "../src/interp/interpret.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import type { BulkCopy, Channel, Multicast, Stmt } from "../src/ir/stmt.ts";
import { mapStmt } from "../src/ir/visit.ts";
import { nestOf } from "../src/schedule/primitives/primitive.testing.ts";
import type { Schedule } from "../src/schedule/schedule.ts";
import { type DeviceText, lowerVerified } from "../src/target/index.ts";
import { difference, subjectOf } from "./subject.ts";

export const target = parseTarget("cuda/sm_90a");

export function lowered(sch: Schedule): readonly Kernel[] {
  const made = lowerVerified(nestOf(sch), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return made.value;
}

export function textOf(sch: Schedule): DeviceText {
  const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph: sch.graph, trace: sch.trace });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

export const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [128, 64, 64], n: 32, groups: 1, chunk: 32, slots: 2, span: 64 },
  ...{ blocks: 1, pairs: "m" },
};

/** Of a product that both interpreters run in npm test; the direct one does 200,000 multiplications in a second. */
export const directWork = 150_000;

/**
 * Both interpreters agree with the graph of a product in clusters of so many blocks; the direct one up to `most` multiplications.
 */
export function expectAgreement(p: Product, cluster: number, most: number): void {
  const sch = scheduleOf(p);
  const kernels = lowered(sch);
  const subject = subjectOf(sch.graph, -2, 2);
  expect(kernels).toMatchObject([{ cluster }]);
  expect(difference(subject, interpretKernels(kernels, subject.inputs))).toBeUndefined();
  if (!isFull && p.size.reduce((a, x) => a * x) > most) return;
  const bodies = kernels.map(({ func }) => func);
  expect(difference(subject, interpretDirectly(bodies, subject.inputs, new Random(1)))).toBeUndefined();
}

/** Of two blocks along m by two along n, each of which brings half of its rows of A and half of its columns of B. */
export const four: Product = { ...product, size: [128, 64, 64], pairs: "mn", roles: [0, 0] };

export const refuse = (change: (s: Stmt) => Stmt | undefined, kernels: readonly Kernel[]): readonly Kernel[] => {
  const run = (s: Stmt): Stmt => change(s) ?? mapStmt(s, run, (e) => e);
  return kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
};
export const ofShare = (f: (s: BulkCopy, to: Multicast) => Stmt) => (s: Stmt) =>
  s.kind === "BulkCopy" && s.multicast !== undefined ? f(s, s.multicast) : undefined;
export const inChannels = (other: (channel: Channel) => Channel) => {
  const others = new Map<Channel, Channel>();
  const change = (s: Stmt): Stmt | undefined => {
    if (!("channel" in s)) return undefined;
    const channel = others.get(s.channel) ?? other(s.channel);
    others.set(s.channel, channel);
    const changed = { ...s, channel };
    const run = (part: Stmt): Stmt => change(part) ?? mapStmt(part, run, (e) => e);
    return mapStmt(changed, run, (e) => e);
  };
  return change;
};
