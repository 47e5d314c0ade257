/**
 * One pair of JavaScript functions per buffer: L<n>(indices) loads, S<n>(indices, value) stores, each with its checks inline, so
 * what a buffer need not check costs nothing. The text runs in the scope of function-js.ts, which owns these variables:
 *
 *   T  thread within the block        M = P + T     key of (phase, thread); a phase lies between barriers, P is the first key of the present one
 *   N32 = Q32 + warp   the same of (phase between barriers of more than a warp, warp), where warps meet without each other; its
 *                  arrays are w32_, x32_ ...; N128, Q128 of warpgroups
 *   U  key of the block, or of the iteration of a parallel loop; K the first key of the present kernel or loop
 *   Fn  fences so far; Fb  those before the last barrier of the block, Fg of a warpgroup: the copy engine reads what
 *                  was written before them, by its own warpgroup in the case of Fg
 *   R  rings of slots (channels.ts), by number
 *   O  the group of products that is open, 0 none; J the same while one adds up; Gd the last group that has been waited for
 *   group  the group of copies whose stores are being made, 0 outside; arrived  those up to here have come (a barrier waited for
 *          them); arrived32, arrived128  those that threads of one warp, one warpgroup have begun
 *   per buffer n:  d data   g stamp of the last write   e stamp of the present allocation
 *                  w x  first and another writer, l last writer, c last who changed the value, r q  first and another reader   (keys of M)
 *                  W last writer, C last who changed it, R first reader, Q another reader                                      (keys of U)
 *   Blocks of a cluster have all of this of their own, but for parameters with their keys of U, and for the numbers of U.
 *
 * Two accesses conflict when they are of different threads in one phase (or of different blocks in one kernel) and one of them
 * *changes* the value. A write that stores what is there already is redundant: counted, not refused. Blocks run one after
 * another, so a first reader that is this block is every reader so far; threads interleave by statement, hence the "another" of w
 * and r.
 */

import { type Agent, agents, isWithin, type Team, teamSize, teams } from "../ir/agent.ts";
import { type Buffer, bufferSpan, bufferStrides } from "../ir/buffer.ts";

export interface BufferPlan {
  readonly buffer: Buffer;
  readonly index: number;
  /** Whether reads of elements that were never written are refused. Off for inputs that nothing here writes. */
  readonly checkInit: boolean;
  readonly trackThreads: boolean;
  readonly trackTeams: readonly Team[];
  readonly trackUnits: boolean;
  readonly isInCluster: boolean;
  /** A thread's or a team's own copy that survives barriers: slices of one array. */
  readonly copies: "one" | Owner;
  /** Whether intrinsics access it by place in memory: LF<n>(place) and SF<n>(place, value). */
  readonly inTiles: boolean;
  /** Whether it is written in groups of copies: f = the group for which an element waits, o = the thread that began it. */
  readonly inGroups: boolean;
  /** The slots of a channel: only held ones may be read, and no thread writes. */
  readonly channel: { readonly ring: number; readonly slot: number } | undefined;
  /** Whether the copy engine reads it: y = the fences before an element was written, z = the writer's warpgroup. */
  readonly isOfProxy: boolean;
  /** The products in flight that use it: h = the last group that adds to it or reads it. */
  readonly inProducts: "sums" | "tiles" | undefined;
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

/**
 * One level of tracking: the keys of a phase from `first` on, the present agent's key, the letters of its arrays, threads per
 * agent.
 */
interface Level {
  readonly first: string;
  readonly own: string;
  readonly mark: string;
  readonly threads: number;
}
const ofThreads: Level = { first: "P", own: "M", mark: "", threads: 1 };
export const ofTeam = (team: Team): Level => {
  const threads = teamSize[team];
  return { first: `Q${threads}`, own: `N${threads}`, mark: `${threads}_`, threads };
};
const levelsOf = ({ trackThreads, trackTeams }: BufferPlan): readonly Level[] => [
  ...(trackThreads ? [ofThreads] : []),
  ...trackTeams.map(ofTeam),
];
const keyIn =
  ({ mark }: Level, n: number) =>
  (key: string): string =>
    `${key}${mark}${n}[i]`;

function readText(level: Level, n: number, indices: string): string {
  const { first: p, own: m, threads } = level;
  const k = keyIn(level, n);
  return (
    `if(${k("c")}>=${p}&&${k("c")}!==${m}&&${k("l")}!==${m})env.race(${n},${indices},"is read by a thread",T,(${k("c")}-${p})*${threads});` +
    `if(${k("r")}<${p})${k("r")}=${m};else if(${k("r")}!==${m})${k("q")}=${m};`
  );
}

function writeText(level: Level, n: number, indices: string): string {
  const { first: p, own: m, threads } = level;
  const k = keyIn(level, n);
  const other = (one: string, another: string): string => `(${k(one)}>=${p}&&${k(one)}!==${m}?${k(one)}:${k(another)})-${p}`;
  const uses = (one: string, another: string): string => `(${k(one)}>=${p}&&${k(one)}!==${m})||${k(another)}>=${p}`;
  const redundant = level === ofThreads ? `if(${k("l")}>=${p}&&${k("l")}!==${m})env.redundantWrites++;` : "";
  return (
    `if(same){${redundant}}else{` +
    `if(${uses("w", "x")})env.race(${n},${indices},"gets another value from a thread",T,(${other("w", "x")})*${threads});` +
    `if(${uses("r", "q")})env.race(${n},${indices},"is changed by a thread",T,(${other("r", "q")})*${threads});` +
    `${k("c")}=${m};}` +
    `if(${k("w")}<${p})${k("w")}=${m};else if(${k("w")}!==${m})${k("x")}=${m};${k("l")}=${m};`
  );
}

/** A read by the copy engine, for the thread T. */
export const unfencedText = (n: number, place: string): string =>
  `if(y${n}[${place}]>=(z${n}[${place}]===Math.floor(T/${teamSize.warpgroup})?Fg:Fb))env.unfenced(${n},${place});`;

const arrivedOf = (agent: Agent): string => (agent === "block" ? "arrived" : `arrived${teamSize[agent]}`);
export const arrivals = `let group=0,waited=0,${agents.map(arrivedOf).join("=0,")}=0;`;
/** The agent's threads meet: what they have waited for has come to all of them. */
export const arrivedWith = (agent: Agent): string =>
  `${agents
    .filter((each) => isWithin(each, agent))
    .map(arrivedOf)
    .join("=")}=waited;`;
/** An element that the team's own meeting has not waited for, or that another team copies. */
const onItsWay = (n: number, team: Team): string =>
  `(f${n}[i]>${arrivedOf(team)}||${ownSlice(team).replaceAll("T", `o${n}[i]`)}!==${ownSlice(team)})`;

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
    plan.channel
      ? `if(!R[${plan.channel.ring}].flags[Math.floor(i/${plan.channel.slot})])env.notHeld(R[${plan.channel.ring}],${n},i);`
      : "",
    plan.inProducts === "sums" ? `if(!J&&h${n}[i]>Gd)env.inFlight(${n},${indices},"reads");` : "",
    plan.inProducts === "tiles" ? `if(J)h${n}[i]=J;` : "",
    plan.inGroups
      ? `if(f${n}[i]>arrived&&${teams.map((team) => onItsWay(n, team)).join("&&")})env.onItsWay(${n},${indices});`
      : "",
    plan.checkInit ? `if(g${n}[i]!==e${n})env.uninitialised(${n},${indices});` : "",
    ...levelsOf(plan).map((level) => readText(level, n, indices)),
    plan.trackUnits
      ? `if(C${n}[i]>=K&&C${n}[i]!==U&&W${n}[i]!==U)env.unitRace(${n},${indices},"is read by one",U-K,C${n}[i]-K);` +
        `if(R${n}[i]<K)R${n}[i]=U;${plan.isInCluster ? `else if(R${n}[i]!==U)Q${n}[i]=U;` : ""}`
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
    flat === "" ? keeperText(plan, "writes") : "",
    offsetText(plan, args),
    tracked ? `const same=g${n}[i]===e${n}&&(d${n}[i]===v||(v!==v&&d${n}[i]!==d${n}[i]));` : "",
    ...levelsOf(plan).map((level) => writeText(level, n, indices)),
    plan.trackUnits
      ? `if(same){if(W${n}[i]>=K&&W${n}[i]!==U)env.redundantWrites++;}else{` +
        `if(W${n}[i]>=K&&W${n}[i]!==U)env.unitRace(${n},${indices},"gets another value from one",U-K,W${n}[i]-K);` +
        `if(R${n}[i]>=K&&R${n}[i]!==U)env.unitRace(${n},${indices},"is changed by one",U-K,R${n}[i]-K);` +
        (plan.isInCluster ? `if(Q${n}[i]>=K)env.unitRace(${n},${indices},"is changed by one",U-K,Q${n}[i]-K);` : "") +
        `C${n}[i]=U;}W${n}[i]=U;`
      : "",
    plan.checkInit || tracked ? `g${n}[i]=e${n};` : "",
    plan.inGroups ? `f${n}[i]=group;o${n}[i]=T;` : "",
    plan.inProducts ? `if(J)h${n}[i]=J;else if(h${n}[i]>Gd)env.inFlight(${n},${indices},"writes");` : "",
    plan.isOfProxy ? `y${n}[i]=Fn;z${n}[i]=Math.floor(T/${teamSize.warpgroup});` : "",
    plan.channel ? `if(!R[${plan.channel.ring}].isFilling)env.notFilling(R[${plan.channel.ring}],${n},i);` : "",
    `d${n}[i]=v;}`,
  ].join("");
}

const threadKeys = ["w", "x", "l", "c", "r", "q"];
// Where blocks run one after another, no block writes after another has read what it read first, so one reader's name is enough.
const unitKeys = ["W", "C", "R"];
const unitKeysInCluster = [...unitKeys, "Q"];

/** Declarations of a buffer: its arrays from `env.buffers`, then its two functions. */
export function bufferText(plan: BufferPlan): string {
  const n = plan.index;
  const args = plan.buffer.shape.map((_, d) => `i${d}`);
  const marked = levelsOf(plan).flatMap(({ mark }) => threadKeys.map((key) => `${key}${mark}`));
  const ofUnits = plan.trackUnits && !plan.isInCluster ? unitKeys : [];
  const ofCluster = plan.trackUnits && plan.isInCluster ? unitKeysInCluster : [];
  const keys = [...marked, ...ofUnits];
  return [
    `const {data:d${n},stamps:g${n}}=env.buffers[${n}];let e${n}=1;`,
    ...(plan.isOfProxy ? ["y", "z"].map((key) => `const ${key}${n}=new Int32Array(d${n}.length).fill(-1);`) : []),
    ...(plan.inProducts ? [`const h${n}=new Int32Array(d${n}.length);`] : []),
    ...(plan.inGroups ? ["f", "o"].map((key) => `const ${key}${n}=new Int32Array(d${n}.length);`) : []),
    ...keys.map((k) => `const ${k}${n}=new Float64Array(d${n}.length).fill(-1);`),
    ...ofCluster.map((k) => `const ${k}${n}=env.keys("${k}",${n});`),
    loadText(plan, args),
    storeText(plan, args),
    ...(plan.inTiles ? byPlace(plan) : []),
    ...(plan.isInCluster && plan.channel ? [landerText(plan)] : []),
  ].join("\n");
}

function landerText({ index: n, inProducts }: BufferPlan): string {
  const taken = inProducts ? `if(h${n}[i]>Gd)env.inFlight(${n},[i],"gets a box over");` : "";
  return `env.landers[${n}]=(i,v)=>{${taken}g${n}[i]=e${n};d${n}[i]=v;};`;
}

function byPlace(plan: BufferPlan): string[] {
  const { strides: _, ...buffer } = plan.buffer;
  const flat: BufferPlan = { ...plan, buffer: { ...buffer, shape: [bufferSpan(plan.buffer)] } };
  return [loadText(flat, ["i0"], "F"), storeText(flat, ["i0"], "F")];
}
