/**
 * What every pass must know of every kind of statement: its parts, the memory that it accesses, and whether threads meet at it.
 */
import { assertNever } from "@warpfarm/common";
import type { Team } from "./agent.ts";
import type { Buffer } from "./buffer.ts";
import * as b from "./build.ts";
import type { Expr } from "./expr.ts";
import { type IntrinsicOperand, operandsOf, tensorOf } from "./intrinsic.ts";
import type { Invoke, Remark, Stmt, StmtKind, Tile } from "./stmt.ts";

export function mapList<T>(items: readonly T[], f: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as T;
    const mapped = f(item);
    if (mapped !== item) {
      changed ??= items.slice();
      changed[i] = mapped;
    }
  }
  return changed ?? items;
}

/** Tiles with other indices; the same list when nothing changed. */
const mapTiles = (tiles: readonly Tile[], fe: (e: Expr) => Expr): readonly Tile[] =>
  mapList(tiles, (tile) => {
    const indices = mapList(tile.indices, fe);
    return indices === tile.indices ? tile : { ...tile, indices };
  });

/** Applies fs to the direct sub-statements and fe to the direct expressions; the same object when nothing changed. */
export function mapStmt(s: Stmt, fs: (child: Stmt) => Stmt, fe: (e: Expr) => Expr): Stmt {
  switch (s.kind) {
    case "For":
    case "Allocate":
    case "Async":
    case "AllocChannel":
    case "Drain":
    case "KernelNest":
    case "Stage":
    case "Pragma":
    case "Tensorize":
    case "Unmatched": {
      const body = fs(s.body);
      return body === s.body ? s : { ...s, body };
    }
    case "If": {
      const cond = fe(s.cond);
      const body = fs(s.body);
      return cond === s.cond && body === s.body ? s : b.ifThen(cond, body);
    }
    case "Store": {
      const indices = mapList(s.indices, fe);
      const value = fe(s.value);
      return indices === s.indices && value === s.value ? s : { ...s, indices, value };
    }
    case "Invoke": {
      const tiles = mapTiles(s.tiles, fe);
      return tiles === s.tiles ? s : { ...s, tiles };
    }
    case "BulkCopy": {
      const origin = mapList(s.origin, fe);
      const taps = s.taps && mapList(s.taps, fe);
      const indices = mapList(s.indices, fe);
      const isSame = origin === s.origin && taps === s.taps && indices === s.indices;
      return isSame ? s : { ...s, origin, ...(taps && { taps }), indices };
    }
    case "Fill": {
      const turn = fe(s.turn);
      const body = fs(s.body);
      return turn === s.turn && body === s.body ? s : { ...s, turn, body };
    }
    case "Await":
    case "Release": {
      const turn = fe(s.turn);
      return turn === s.turn ? s : { ...s, turn };
    }
    case "Roles": {
      const producer = fs(s.producer);
      const consumers = fs(s.consumers);
      return producer === s.producer && consumers === s.consumers ? s : { ...s, producer, consumers };
    }
    case "Seq": {
      const stmts = mapList(s.stmts, fs);
      return stmts === s.stmts ? s : b.seq(stmts);
    }
    case "Barrier":
    case "Fence":
    case "Fold":
    case "Handover":
    case "Wait":
      return s;
    default:
      return assertNever(s);
  }
}

/** Calls fs on every direct sub-statement and fe on every direct expression, in program order. */
export function eachPart(s: Stmt, fs: (child: Stmt) => void, fe: (e: Expr) => void): void {
  switch (s.kind) {
    case "For":
    case "Allocate":
    case "Async":
    case "AllocChannel":
    case "Drain":
    case "KernelNest":
    case "Stage":
    case "Pragma":
    case "Tensorize":
    case "Unmatched":
      fs(s.body);
      return;
    case "If":
      fe(s.cond);
      fs(s.body);
      return;
    case "Store":
      for (const i of s.indices) fe(i);
      fe(s.value);
      return;
    case "Invoke":
      for (const tile of s.tiles) for (const i of tile.indices) fe(i);
      return;
    case "BulkCopy":
      for (const i of s.origin) fe(i);
      for (const i of s.taps ?? []) fe(i);
      for (const i of s.indices) fe(i);
      return;
    case "Fill":
      fe(s.turn);
      fs(s.body);
      return;
    case "Await":
    case "Release":
      fe(s.turn);
      return;
    case "Roles":
      fs(s.producer);
      fs(s.consumers);
      return;
    case "Seq":
      for (const child of s.stmts) fs(child);
      return;
    case "Barrier":
    case "Fence":
    case "Fold":
    case "Handover":
    case "Wait":
      return;
    default:
      assertNever(s);
  }
}

interface Touch {
  readonly buffer: Buffer;
  readonly indices?: readonly Expr[];
  /** For a tile or a box: elements from its first to its last, none of which a single thread accesses alone. */
  readonly reach?: number;
  readonly how: "read" | "write";
  readonly isMapped?: true;
  readonly tile?: { readonly operand: IntrinsicOperand; readonly tensor: Buffer };
}

export const touchingKinds = ["Store", "Fold", "Invoke", "BulkCopy"] as const;

/** Accesses in the order of the statement's parts, writes last. */
export function touches(s: Stmt): readonly Touch[] {
  switch (s.kind) {
    case "Store":
      return [{ buffer: s.buffer, indices: s.indices, how: "write" }];
    case "Fold":
      return [{ buffer: s.buffer, how: "write" }];
    case "Invoke":
      // A step of a reduction reads its output too, at the same place.
      return operandsOf(s.intrinsic, s.form).map((operand, i) => {
        const { buffer, indices, strides } = s.tiles[i] as Tile;
        const tensor = tensorOf(s.intrinsic, operand);
        const reach = strides.reduce((sum, stride, d) => sum + stride * ((tensor.shape[d] as number) - 1), 0);
        return { buffer, indices, reach, how: i < s.tiles.length - 1 ? "read" : "write", tile: { operand, tensor } };
      });
    case "BulkCopy": {
      const reach = s.tensor.box.reduce((product, extent) => product * extent, 1) - 1;
      const [global, own] = [
        { buffer: s.tensor.buffer, isMapped: true as const },
        { buffer: s.shared, indices: s.indices, reach },
      ];
      return s.direction === "in"
        ? [
            { ...global, how: "read" },
            { ...own, how: "write" },
          ]
        : [
            { ...own, how: "read" },
            { ...global, how: "write" },
          ];
    }
    default:
      return [];
  }
}

/** Replaces the memory that a statement itself accesses. Loads in its expressions stay. */
export function mapMemory(
  s: Stmt,
  other: (buffer: Buffer) => Buffer,
  place: (buffer: Buffer, indices: readonly Expr[]) => readonly Expr[],
): Stmt {
  switch (s.kind) {
    case "Store":
      return { ...s, buffer: other(s.buffer), indices: place(s.buffer, s.indices) };
    case "Fold":
      return { ...s, buffer: other(s.buffer), ...(s.exchange ? { exchange: other(s.exchange) } : {}) };
    case "Invoke":
      return {
        ...s,
        tiles: s.tiles.map((tile) => ({ ...tile, buffer: other(tile.buffer), indices: place(tile.buffer, tile.indices) })),
      };
    case "BulkCopy":
      return {
        ...s,
        tensor: { ...s.tensor, buffer: other(s.tensor.buffer) },
        shared: other(s.shared),
        indices: place(s.shared, s.indices),
      };
    default:
      return s;
  }
}

/** The threads that execute it together; undefined: each by itself. */
export const doneBy = (s: Stmt): Team | undefined => (s.kind === "Invoke" ? s.intrinsic.agent : undefined);
/** Whether it is a matrix product that is in flight when its team continues. Start values exist at once. */
export const isProduct = (s: Stmt): s is Invoke => s.kind === "Invoke" && s.intrinsic.engine !== undefined && s.form !== "init";

const remarkKinds: Readonly<Record<Remark["kind"], true>> = {
  KernelNest: true,
  Stage: true,
  Pragma: true,
  Tensorize: true,
  Unmatched: true,
};
export const isRemark = (s: Stmt): s is Remark => Object.hasOwn(remarkKinds, s.kind);

/** Kinds that exist on every machine: stores, and kinds that only contain others. */
const plainKinds = ["For", "If", "Seq", "Allocate", "Store"] as const;
type PlainStmt = Remark | Extract<Stmt, { readonly kind: (typeof plainKinds)[number] }>;
export type MachineStmt = Exclude<Stmt, PlainStmt>;
/** Whether threads meet at it, or one waits for others. Then all must reach it. */
const meets: Readonly<Record<MachineStmt["kind"], boolean>> = {
  Invoke: false,
  BulkCopy: false,
  Async: false,
  Handover: false,
  Barrier: true,
  Wait: true,
  Fold: true,
  AllocChannel: true,
  Fill: true,
  Await: true,
  Release: true,
  Drain: true,
  Roles: true,
  Fence: true,
};
export const machineKinds = Object.keys(meets) as readonly MachineStmt["kind"][];
export const meetingKinds = machineKinds.filter((kind) => meets[kind]);
export const stmtKinds = [...plainKinds, ...Object.keys(remarkKinds), ...machineKinds] as readonly StmtKind[];
export const isPlain = (s: Stmt): s is PlainStmt => !Object.hasOwn(meets, s.kind);
