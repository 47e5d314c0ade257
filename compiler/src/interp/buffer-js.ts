/**
 * One pair of JavaScript functions per buffer: L<n>(indices) loads, S<n>(indices, value) stores, each with its checks inline, so
 * what a buffer need not check costs nothing. The text runs in the scope of function-js.ts, which owns these variables:
 *
 *   T  thread within the block
 *   U  number of the block, or of the iteration of a parallel loop; K the first number of the present kernel or loop
 *   R  rings of slots (channels.ts), by number
 *   per buffer n:  d data   g stamp of the last write   e stamp of the present allocation
 *                  W last writer, C last who changed the value, R first reader                       (numbers of U)
 *   Blocks of a cluster have all of this of their own, but for parameters, and take turns; they have no numbers of U.
 *
 * Two accesses of different blocks in one kernel conflict when one of them *changes* the value: blocks run one after another, so
 * a first reader that is this block is every reader so far. The order of the threads of a block, and of the blocks of a cluster,
 * is the business of direct/.
 */

import { type Team, teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSpan, bufferStrides } from "../ir/buffer.ts";

export interface BufferPlan {
  readonly buffer: Buffer;
  readonly index: number;
  /** Whether reads of elements that were never written are refused. Off for inputs that nothing here writes. */
  readonly checkInit: boolean;
  readonly trackUnits: boolean;
  readonly isInCluster: boolean;
  /** A thread's or a team's own copy that survives barriers: slices of one array. */
  readonly copies: "one" | Owner;
  /** Whether intrinsics access it by place in memory: LF<n>(place) and SF<n>(place, value). */
  readonly inTiles: boolean;
  /** The number of the ring whose slots it has. */
  readonly ring: number | undefined;
  /** The keepers of fragments of known layout. Only intrinsics access other fragments. */
  readonly keptBy: Keepers | undefined;
}

export interface Keepers {
  readonly team: Team;
  readonly lanes: readonly number[];
}

/** The owner of an array that survives barriers, and the owner's number of threads. */
export const ownerSize = { thread: 1, ...teamSize } as const;
export type Owner = keyof typeof ownerSize;
const ownSlice = (owner: Owner): string => (ownerSize[owner] === 1 ? "T" : `Math.floor(T/${ownerSize[owner]})`);

function boundsText(plan: BufferPlan, verb: string, args: readonly string[]): string {
  const outside = plan.buffer.shape.map((extent, d) => `!(${args[d]}>=0&&${args[d]}<${extent})`).join("||");
  return `if(${outside})env.bounds(${plan.index},"${verb}",[${args.join(",")}]);`;
}

function offsetText({ buffer, copies }: BufferPlan, args: readonly string[]): string {
  const strides = bufferStrides(buffer);
  const terms = args.map((arg, d) => (strides[d] === 1 ? arg : `${arg}*${strides[d]}`));
  return `const i=${[...terms, ...(copies === "one" ? [] : [`${ownSlice(copies)}*${bufferSpan(buffer)}`])].join("+")};`;
}

/** Outside of intrinsics a lane may touch what it keeps. */
const keeperText = ({ index: n, keptBy }: BufferPlan, verb: string): string =>
  keptBy
    ? `{const lane=env.buffers[${n}].keptBy.lanes[i0%${keptBy.lanes.length}];if(lane!==T%${teamSize[keptBy.team]})env.foreign(${n},"${verb}",i0,lane);}`
    : "";

function loadText(plan: BufferPlan, args: readonly string[], flat = ""): string {
  const n = plan.index;
  const indices = `[${args.join(",")}]`;
  return [
    `function L${flat}${n}(${args.join(",")}){`,
    boundsText(plan, "reads", args),
    flat === "" ? keeperText(plan, "reads") : "",
    offsetText(plan, args),
    plan.checkInit ? `if(g${n}[i]!==e${n})env.uninitialised(${n},${indices});` : "",
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
  return [
    `function S${flat}${n}(${[...args, "v"].join(",")}){`,
    boundsText(plan, "writes", args),
    flat === "" ? keeperText(plan, "writes") : "",
    offsetText(plan, args),
    plan.trackUnits ? `const same=g${n}[i]===e${n}&&(d${n}[i]===v||(v!==v&&d${n}[i]!==d${n}[i]));` : "",
    plan.trackUnits
      ? `if(!same){` +
        `if(W${n}[i]>=K&&W${n}[i]!==U)env.unitRace(${n},${indices},"gets another value from one",U-K,W${n}[i]-K);` +
        `if(R${n}[i]>=K&&R${n}[i]!==U)env.unitRace(${n},${indices},"is changed by one",U-K,R${n}[i]-K);` +
        `C${n}[i]=U;}W${n}[i]=U;`
      : "",
    plan.checkInit || plan.trackUnits ? `g${n}[i]=e${n};` : "",
    `d${n}[i]=v;}`,
  ].join("");
}

// Where blocks run one after another, no block writes after another has read what it read first, so one reader's name is enough.
const unitKeys = ["W", "C", "R"];

/** Declarations of a buffer: its arrays from `env.buffers`, then its two functions. */
export function bufferText(plan: BufferPlan): string {
  const n = plan.index;
  const args = plan.buffer.shape.map((_, d) => `i${d}`);
  const keys = plan.trackUnits ? unitKeys : [];
  return [
    `const {data:d${n},stamps:g${n}}=env.buffers[${n}];let e${n}=1;`,
    ...keys.map((k) => `const ${k}${n}=new Float64Array(d${n}.length).fill(-1);`),
    loadText(plan, args),
    storeText(plan, args),
    ...(plan.inTiles ? byPlace(plan) : []),
    ...(plan.isInCluster && plan.ring !== undefined ? [landerText(plan)] : []),
  ].join("\n");
}

const landerText = ({ index: n }: BufferPlan): string => `env.landers[${n}]=(i,v)=>{g${n}[i]=e${n};d${n}[i]=v;};`;

function byPlace(plan: BufferPlan): string[] {
  const { strides: _, ...buffer } = plan.buffer;
  const flat: BufferPlan = { ...plan, buffer: { ...buffer, shape: [bufferSpan(plan.buffer)] } };
  return [loadText(flat, ["i0"], "F"), storeText(flat, ["i0"], "F")];
}
