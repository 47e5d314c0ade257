/**
 * AutoTVM's itervar vector (TVM 0.17 `GetItervarFeatureFlatten`, taken with logarithms): loop by loop in order of entry
 *
 *   log extent, nest level, log top-down, log bottom-up, one of 11 kinds, log additions, log multiplications, log divisions,
 *   then for each touch inside it, by name: log stride, mod, count, reuse, thread count, thread reuse
 *
 * where log x is log2(x + 1), and -log2(1 - x) below 0. The length depends on the nest; a batch is padded (pad.ts).
 */
import type { PrimFunc } from "../ir/prim-func.ts";
import type { Inferred } from "../schedule/infer.ts";
import { type LoopTouches, loopKinds, loopTouches, type NestTouches, touchFields } from "./loop-touches.ts";

const log = (x: number): number => (x < 0 ? -Math.log2(1 - x) : Math.log2(x + 1));
const plain = (x: number): number => x;
const headSize = 4 + loopKinds.length + 3;

export interface ItervarOptions {
  readonly takeLog?: boolean;
}

/** Numbers of the touches, in the textual order of their names, as AutoTVM sorts them: "A_10" before "A_2". */
export const byName = (names: readonly string[]): number[] =>
  names.map((_, i) => i).sort((i, j) => ((names[i] as string) < (names[j] as string) ? -1 : 1));

export function itervarFeatures(nest: Inferred | PrimFunc<"scheduled">, options: ItervarOptions = {}): Float32Array {
  return flatten(loopTouches("dialect" in nest ? nest : nest.func()), options.takeLog === false ? plain : log);
}

function flatten({ loops, names }: NestTouches, transform: (x: number) => number): Float32Array {
  const length = loops.reduce((sum, loop) => sum + headSize + loop.touches.length, 0);
  const made = new Float32Array(length);
  const order = byName(names);
  let at = 0;
  for (const loop of loops) {
    writeHead(made, at, loop, transform);
    at += headSize;
    for (const touch of order) {
      const place = touch - loop.firstTouch;
      if (place < 0 || place >= loop.touchCount) continue;
      const from = place * touchFields.length;
      for (let i = 0; i < touchFields.length; i++) made[at++] = transform(loop.touches[from + i] as number);
    }
  }
  return made;
}

function writeHead(made: Float32Array, at: number, loop: LoopTouches, transform: (x: number) => number): void {
  made[at] = transform(loop.extent);
  made[at + 1] = loop.nestLevel;
  made[at + 2] = transform(loop.topDown);
  made[at + 3] = transform(loop.bottomUp);
  made[at + 4 + loopKinds.indexOf(loop.kind)] = 1;
  for (let i = 0; i < 3; i++) made[at + 4 + loopKinds.length + i] = transform(loop.arithmetic[i] as number);
}
