/** Checks that several primitives share. Each returns the refusal, or undefined. */
import type { Refusal } from "@warpfarm/common";
import { attachedAt, type Loop, type LoopRef, loopOf, orderedLoop, type StageRef, type State, stageOf } from "./state.ts";

export const refuse = (rule: string, message: string): Refusal => ({ rule, message });

export const nameLoop = (state: State, loop: Loop): string => `loop "${loop.name}" of "${stageOf(state, loop.stage).name}"`;

/** A loop that was split or fused is replaced by its parts. */
export function notLeaf(primitive: string, state: State, ref: LoopRef): Refusal | undefined {
  const loop = loopOf(state, ref);
  const { leaves } = stageOf(state, loop.stage);
  if (leaves.includes(ref)) return undefined;
  return refuse(
    `${primitive}.leaf`,
    `${primitive}: ${nameLoop(state, loop)} was split, fused or laid out anew before; its loops are now ${leaves.map((l) => `"${loopOf(state, l).name}"`).join(", ")}`,
  );
}

/** Iterations of a recurrence depend on each other: none runs beside another. */
export function inOrder(primitive: string, state: State, ref: LoopRef): Refusal | undefined {
  const loop = loopOf(state, ref);
  if (!loop.ordered) return undefined;
  return refuse(
    "scan.order",
    `${primitive}: ${nameLoop(state, loop)} goes from element to element, each from the one before; it stays one serial loop`,
  );
}

/** The stage of a scan reads its own elements, in their places. */
export function scans(primitive: string, state: State, ref: StageRef): Refusal | undefined {
  const stage = stageOf(state, ref);
  const loop = orderedLoop(state, stage);
  if (loop?.kind !== "spatial") return undefined;
  return refuse(
    "scan.stage",
    `${primitive}: "${stage.name}" is a scan along "${loop.name}", which reads its own elements; it is computed whole, in an array of its own`,
  );
}

/** Only a copy or an elementwise formula is made some iterations before its use. */
export function madeAhead(primitive: string, state: State, ref: StageRef): Refusal | undefined {
  const { name, isOutput, combiner } = stageOf(state, ref);
  if (isOutput)
    return refuse(`${primitive}.output`, `${primitive}: "${name}" is an output of the graph; outputs are written once`);
  if (combiner)
    return refuse(
      `${primitive}.reduce`,
      `${primitive}: "${name}" is a reduction; only copies and elementwise formulas are made ahead`,
    );
  return scans(primitive, state, ref);
}

/** A loop is marked once: bound, unrolled, vectorized or parallel. */
export function alreadyMarked(primitive: string, state: State, ref: LoopRef): Refusal | undefined {
  const loop = loopOf(state, ref);
  if (loop.forKind === "serial") return undefined;
  const mark = loop.thread ? `bound to ${loop.thread}` : loop.forKind;
  return refuse(`${primitive}.twice`, `${primitive}: ${nameLoop(state, loop)} is ${mark} already (step ${loop.step})`);
}

/** split and fuse end a loop: its mark, its pragma or an attached stage would be lost. */
export function notFree(primitive: string, state: State, ref: LoopRef): Refusal | undefined {
  const loop = loopOf(state, ref);
  const ordered = inOrder(primitive, state, ref);
  if (ordered) return ordered;
  const attached = attachedAt(state, ref)[0];
  if (attached)
    return refuse(`${primitive}.attached`, `${primitive}: "${attached.name}" is attached at ${nameLoop(state, loop)}`);
  const { tensorized } = stageOf(state, loop.stage).annotations;
  if (tensorized?.loop === ref)
    return refuse(
      `${primitive}.tensorized`,
      `${primitive}: ${nameLoop(state, loop)} is done by the intrinsic ${tensorized.intrinsic.name}; tensorize last`,
    );
  if (stageOf(state, loop.stage).annotations.start?.loop === ref)
    return refuse(
      `${primitive}.start`,
      `${primitive}: the reduction is started before ${nameLoop(state, loop)} (decomposeReduction)`,
    );
  if (Object.keys(loop.pragmas).length > 0)
    return refuse(
      `${primitive}.marked`,
      `${primitive}: ${nameLoop(state, loop)} carries a pragma; put pragmas on the loops that remain`,
    );
  if (loop.forKind === "serial") return undefined;
  const mark = loop.thread ? `bound to ${loop.thread}` : loop.forKind;
  return refuse(`${primitive}.marked`, `${primitive}: ${nameLoop(state, loop)} is ${mark}; mark loops last`);
}

/** Iterations of a reduction depend on each other through their sum. */
export function reduces(primitive: string, state: State, ref: LoopRef): Refusal | undefined {
  const loop = loopOf(state, ref);
  if (loop.kind === "spatial") return inOrder(primitive, state, ref);
  return refuse(
    `${primitive}.reduce`,
    `${primitive}: ${nameLoop(state, loop)} is a reduction; only spatial loops run at the same time${primitive === "bind" ? ", or one of its loops over threadIdx.x" : ""}`,
  );
}
