/**
 * One pair of JavaScript functions per buffer: L<n>(indices) loads, S<n>(indices, value) stores, each with its checks inline, so what a buffer
 * need not check costs nothing. The text runs in the scope of function-js.ts, which owns these variables:
 *
 *   T  thread within the block        M = P + T     key of (phase, thread); a phase lies between barriers, P is the first key of the present one
 *   U  key of the block, or of the iteration of a parallel loop; K the first key of the present kernel or loop
 *   group  the group of copies whose stores are being made, 0 outside; arrived  those up to here have come (a barrier waited for them)
 *   per buffer n:  d data   g stamp of the last write   e stamp of the present allocation
 *                  w x  first and another writer, l last writer, c last who changed the value, r q  first and another reader   (keys of M)
 *                  W last writer, C last who changed it, R first reader, Q another reader                                      (keys of U)
 *
 * Two accesses conflict when they are of different threads in one phase (or of different blocks in one kernel) and one of them *changes*
 * the value. A write that stores what is there already is redundant: counted, not refused. Blocks run one after another, so a first
 * reader that is this block is every reader so far; threads interleave by statement, hence the "another" of w and r.
 */

import { type Buffer, bufferSpan, bufferStrides } from "../ir/buffer.ts";
import { warpSize } from "../ir/warp.ts";

export interface BufferPlan {
  readonly buffer: Buffer;
  readonly index: number;
  /** Reads of elements never written are refused. Off for inputs that nothing here writes. */
  readonly checkInit: boolean;
  /** Threads of a block share it. */
  readonly trackThreads: boolean;
  /** Blocks, or iterations of a parallel loop, share it. */
  readonly trackUnits: boolean;
  /** A thread's or a warp's own copy that lives across barriers: slices of one array. */
  readonly copies: "one" | "thread" | "warp";
  /** Intrinsics reach into it by place in memory: LF<n>(place) and SF<n>(place, value). */
  readonly inTiles: boolean;
  /** Stored to in groups of copies: f = the group that an element waits for. */
  readonly inGroups: boolean;
  /** Of a warp's fragments whose layout is known: the lane that keeps each element of a tile. Only intrinsics reach the others'. */
  readonly keptBy: readonly number[] | undefined;
}

const ownSlice = { one: "", thread: "T", warp: "(T>>5)" } as const;

function boundsText(plan: BufferPlan, verb: string, args: readonly string[]): string {
  const outside = plan.buffer.shape.map((extent, d) => `!(${args[d]}>=0&&${args[d]}<${extent})`).join("||");
  return `if(${outside})env.bounds(${plan.index},"${verb}",[${args.join(",")}]);`;
}

function offsetText({ buffer, copies }: BufferPlan, args: readonly string[]): string {
  const strides = bufferStrides(buffer);
  const terms = args.map((arg, d) => (strides[d] === 1 ? arg : `${arg}*${strides[d]}`));
  return `const i=${[...terms, ...(copies === "one" ? [] : [`${ownSlice[copies]}*${bufferSpan(buffer)}`])].join("+")};`;
}

function loadText(plan: BufferPlan, args: readonly string[], flat = ""): string {
  const n = plan.index;
  const indices = `[${args.join(",")}]`;
  return [
    `function L${flat}${n}(${args.join(",")}){`,
    boundsText(plan, "reads", args),
    plan.keptBy && flat === ""
      ? `if(env.buffers[${n}].keptBy[i0%${plan.keptBy.length}]!==T%${warpSize})env.foreign(${n},i0,env.buffers[${n}].keptBy[i0%${plan.keptBy.length}]);`
      : "",
    offsetText(plan, args),
    plan.inGroups ? `if(f${n}[i]>arrived)env.onItsWay(${n},${indices});` : "",
    plan.checkInit ? `if(g${n}[i]!==e${n})env.uninitialised(${n},${indices});` : "",
    plan.trackThreads
      ? `if(c${n}[i]>=P&&c${n}[i]!==M&&l${n}[i]!==M)env.race(${n},${indices},"is read by a thread",T,c${n}[i]-P);` +
        `if(r${n}[i]<P)r${n}[i]=M;else if(r${n}[i]!==M)q${n}[i]=M;`
      : "",
    plan.trackUnits
      ? `if(C${n}[i]>=K&&C${n}[i]!==U&&W${n}[i]!==U)env.unitRace(${n},${indices},"is read by one",U-K,C${n}[i]-K);` +
        `if(R${n}[i]<K)R${n}[i]=U;`
      : "",
    `return d${n}[i];}`,
  ].join("");
}

function storeText(plan: BufferPlan, args: readonly string[], flat = ""): string {
  const n = plan.index;
  const indices = `[${args.join(",")}]`;
  const tracked = plan.trackThreads || plan.trackUnits;
  return [
    `function S${flat}${n}(${[...args, "v"].join(",")}){`,
    boundsText(plan, "writes", args),
    offsetText(plan, args),
    tracked ? `const same=g${n}[i]===e${n}&&(d${n}[i]===v||(v!==v&&d${n}[i]!==d${n}[i]));` : "",
    plan.trackThreads
      ? `if(same){if(l${n}[i]>=P&&l${n}[i]!==M)env.redundantWrites++;}else{` +
        `if((w${n}[i]>=P&&w${n}[i]!==M)||x${n}[i]>=P)env.race(${n},${indices},"gets another value from a thread",T,(w${n}[i]!==M?w${n}[i]:x${n}[i])-P);` +
        `if((r${n}[i]>=P&&r${n}[i]!==M)||q${n}[i]>=P)env.race(${n},${indices},"is changed by a thread",T,(r${n}[i]>=P&&r${n}[i]!==M?r${n}[i]:q${n}[i])-P);` +
        `c${n}[i]=M;}` +
        `if(w${n}[i]<P)w${n}[i]=M;else if(w${n}[i]!==M)x${n}[i]=M;l${n}[i]=M;`
      : "",
    plan.trackUnits
      ? `if(same){if(W${n}[i]>=K&&W${n}[i]!==U)env.redundantWrites++;}else{` +
        `if(W${n}[i]>=K&&W${n}[i]!==U)env.unitRace(${n},${indices},"gets another value from one",U-K,W${n}[i]-K);` +
        `if(R${n}[i]>=K&&R${n}[i]!==U)env.unitRace(${n},${indices},"is changed by one",U-K,R${n}[i]-K);` +
        `C${n}[i]=U;}W${n}[i]=U;`
      : "",
    plan.checkInit || tracked ? `g${n}[i]=e${n};` : "",
    plan.inGroups ? `f${n}[i]=group;` : "",
    `d${n}[i]=v;}`,
  ].join("");
}

const THREAD_KEYS = ["w", "x", "l", "c", "r", "q"];
// Blocks run one after another, so no block writes after another has read what it read first: one reader's name is enough.
const UNIT_KEYS = ["W", "C", "R"];

/** Declarations of a buffer: its arrays from `env.buffers`, then its two functions. */
export function bufferText(plan: BufferPlan): string {
  const n = plan.index;
  const args = plan.buffer.shape.map((_, d) => `i${d}`);
  const keys = [...(plan.trackThreads ? THREAD_KEYS : []), ...(plan.trackUnits ? UNIT_KEYS : [])];
  return [
    `const {data:d${n},stamps:g${n}}=env.buffers[${n}];let e${n}=1;`,
    ...(plan.inGroups ? [`const f${n}=new Int32Array(d${n}.length);`] : []),
    ...keys.map((k) => `const ${k}${n}=new Float64Array(d${n}.length).fill(-1);`),
    loadText(plan, args),
    storeText(plan, args),
    ...(plan.inTiles ? byPlace(plan) : []),
  ].join("\n");
}

/** The same pair over the buffer as it lies in memory. */
function byPlace(plan: BufferPlan): string[] {
  const { strides: _, ...buffer } = plan.buffer;
  const flat: BufferPlan = { ...plan, buffer: { ...buffer, shape: [bufferSpan(plan.buffer)] } };
  return [loadText(flat, ["i0"], "F"), storeText(flat, ["i0"], "F")];
}
