/**
 * Rules of a block with two roles (ir/stmt.ts). The producer is a whole warpgroup behind all others, so their warpgroups stay
 * whole. It only fills channels, and nobody else fills. No barrier of the block is inside a role. The registers of both fit into
 * those with which a block starts, and each role's number changes in its direction.
 */
import { defined, meets, type Target } from "@warpfarm/common";
import { teamSize, warpgroupAxis } from "../ir/agent.ts";
import { isRemark } from "../ir/parts.ts";
import type { Kernel } from "../ir/prim-func.ts";
import type { Roles, Stmt } from "../ir/stmt.ts";
import { holds, walkStmt } from "../ir/visit.ts";
import type { Launch } from "../schedule/infer/launch.ts";
import { type Rule, rule } from "./rule.ts";

/** Registers of a multiprocessor. */
export const registerFile = 65_536;
const needs = { kind: "cuda", from: 90, to: 90, features: ["a"] } as const;

/** Registers of each thread at the start: all are distributed, in multiples of eight. */
const registersAtStart = (threads: number): number => Math.floor(registerFile / threads / 8) * 8;

export function rolesIn(body: Stmt): Roles | undefined {
  let found: Roles | undefined;
  walkStmt(body, (s) => {
    if (s.kind === "Roles") found = s;
  });
  return found;
}

type Registers = Pick<Launch, "block" | "registers" | "minBlocks">;

/** What a kernel says of the registers of its computing threads. */
export const registersOf = ({ func, block, minBlocks }: Kernel): Registers => ({
  block,
  ...defined({ minBlocks, registers: rolesIn(func.body)?.registers?.[1] }),
});

function startOf({ block, minBlocks = 1 }: Registers): number {
  const threads = block.reduce((count, extent) => count * extent, 1);
  return Math.min(255, registersAtStart(threads * minBlocks));
}

/** The least number of registers for addresses, loops and the epilogue. */
const otherRegisters = 40;
/** What ptxas wants beside a product's sums among the registers of the start: it is blind to those that roles get (C7602). */
export const registersOfProduct = 26;

/** Why a computing thread cannot keep the sums of a warpgroup's products, each in a register. */
export function accumulatorFault(sums: number, launch: Registers): string | undefined {
  const start = startOf(launch);
  const { registers = start } = launch;
  if (sums + otherRegisters > registers)
    return `a thread keeps ${sums} sums and needs about ${otherRegisters} other registers; it has ${registers}`;
  return sums + registersOfProduct > start
    ? `a thread keeps ${sums} sums, and a product needs ${registersOfProduct} more of the ${start} registers with which a thread starts`
    : undefined;
}

function core(body: Stmt): Stmt {
  let s = body;
  while ((s.kind === "For" && s.forKind === "bound") || s.kind === "Allocate" || s.kind === "AllocChannel" || isRemark(s))
    s = s.body;
  return s;
}

const ofProducer: readonly Stmt["kind"][] = ["For", "If", "Seq", "Fill", "BulkCopy"];

/**
 * Why registers cannot move from one role to the other. A block keeps its registers of the start: a consumer that asks for more
 * than the producer has released waits for ever (seen on an H100), even if the multiprocessor has some left.
 */
function registerFault([few, many]: readonly [number, number], { block, minBlocks = 1 }: Kernel): string | undefined {
  const group = teamSize.warpgroup;
  const groups = block.reduce((count, extent) => count * extent, 1) / group;
  const start = registersAtStart(group * groups * minBlocks);
  const [asked, held] = [group * (few + many * (groups - 1)), group * start * groups];
  if (asked > held)
    return `${few} registers for each of ${group} producer threads and ${many} for each of ${group * (groups - 1)} consumer threads are ${asked}; with ${minBlocks} blocks per multiprocessor a block has ${held}, ${start} per thread`;
  return few > start || many < start
    ? `each thread starts with ${start} registers; the producer takes at most that many, here ${few}, and a consumer at least that many, here ${many}`
    : undefined;
}

function fault({ producer, consumers, registers }: Roles, kernel: Kernel): string | undefined {
  const group = teamSize.warpgroup;
  const [x, y, z] = kernel.block;
  const axis = warpgroupAxis(kernel.block);
  if (axis === undefined || (axis === "threadIdx.y" && z !== 1))
    return `the producer is one more warpgroup of ${group} threads, which threadIdx.x, or x and y, have; this kernel has ${x} x ${y} x ${z} threads with it`;
  const wrong = registers && registerFault(registers, kernel);
  if (wrong) return wrong;
  let other: Stmt | undefined;
  walkStmt(producer, (s) => {
    if (!isRemark(s) && !ofProducer.includes(s.kind)) other ??= s;
  });
  if (other) return `the producer may only fill channels; it has a statement ${other.kind}`;
  return holds(consumers, "Fill") ? "a consumer fills a channel; only the producer may" : undefined;
}

export function roleRules(kernel: Kernel, target: Target): readonly Rule[] {
  const { body } = kernel.func;
  const place = core(body);
  return [
    rule("device.roles", "Roles", (s) => {
      if (!meets(target, needs)) return "only sm_90a has warpgroups that exchange registers";
      if (s !== place) return "a kernel has at most one statement of roles, inside all allocations and with nothing beside it";
      return fault(s, kernel);
    }),
  ];
}
