/**
 * Features of a nest's channels (ir/bulk.ts). Its loops do not show them: a copy of the copy engine looks like one thread's, and
 * slots do not appear.
 */
import { dtypeBytes } from "@warpfarm/common";
import { type Buffer, bufferSpan } from "../ir/buffer.ts";
import { bulkProcessors } from "../ir/bulk.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { For, Stage, Stmt } from "../ir/stmt.ts";
import { eachPart } from "../ir/visit.ts";
import type { Inferred } from "../schedule/infer.ts";

export interface ChannelFeatures {
  readonly slots: number;
  readonly bytesATurn: number;
  /** Bytes that may be on their way to a block at a time. */
  readonly bytesInFlight: number;
  readonly turns: number;
  readonly tiles: number;
  readonly waves: number;
}
export const channelFields = ["slots", "bytesATurn", "bytesInFlight", "turns", "tiles", "waves"] as const;

interface Found {
  readonly slots: number;
  readonly bytes: number;
  readonly turns: number;
  readonly tiles: number;
  readonly waves: number;
}

/** Boxes that the engine copies in. `loops` are those around the statement, outermost first. */
function copiesIn(body: Stmt): readonly Found[] {
  const found: Found[] = [];
  const arrays = new Map<string, Buffer>();
  const loops: For[] = [];
  const product = (of: readonly For[]): number => of.reduce((extents, { extent }) => extents * extent, 1);
  const copied = ({ name, ahead }: Stage): void => {
    const array = arrays.get(name);
    const slots = ahead?.by === "pipeline" ? ahead.arrays : 1;
    // What the engine stores goes to an argument.
    if (!array) return;
    const own = loops.filter(({ forKind }) => forKind !== "bound");
    const [tiles, turns] = [product(own.slice(0, -1)), own.at(-1)?.extent ?? 1];
    const blocks = product(loops.filter(({ thread }) => thread?.startsWith("blockIdx")));
    const bytes = dtypeBytes(array.dtype, bufferSpan(array));
    found.push({ slots, bytes, turns, tiles, waves: Math.ceil(blocks / bulkProcessors) * tiles });
  };
  const run = (s: Stmt): void => {
    if (s.kind === "Allocate") arrays.set(s.buffer.name, s.buffer);
    // What lies in slots of another's has none of its own, and few turns.
    if (s.kind === "Stage" && s.engine && s.ring === undefined) copied(s);
    if (s.kind === "For") loops.push(s);
    eachPart(s, run, () => {});
    if (s.kind === "For") loops.pop();
  };
  run(body);
  return found;
}

/** Undefined for a program without channels. */
export function channelFacts(nest: Inferred | PrimFunc<"scheduled">): ChannelFeatures | undefined {
  const { body } = "dialect" in nest ? nest : nest.func();
  const copies = copiesIn(body);
  if (copies.length === 0) return undefined;
  const most = (field: keyof Found): number => Math.max(...copies.map((copy) => copy[field]));
  return {
    slots: most("slots"),
    bytesATurn: copies.reduce((sum, { bytes }) => sum + bytes, 0),
    bytesInFlight: copies.reduce((sum, { slots, bytes }) => sum + slots * bytes, 0),
    turns: most("turns"),
    tiles: most("tiles"),
    waves: most("waves"),
  };
}

export function channelFeatures(nest: Inferred | PrimFunc<"scheduled">): Float32Array {
  const found = channelFacts(nest);
  return Float32Array.from(found ? channelFields.map((field) => Math.log2(found[field] + 1)) : []);
}
