/**
 * The copy engine of sm_90 and its channels as text. A slot of a channel has two mbarriers: `full`, at which one thread arrives
 * and says how many bytes come, and `empty`, at which each warp arrives. Turn t is phase t / slots of its slot: who awaits it
 * waits for that phase of `full`, who fills it for the phase before of `empty`, which of the first turns is over from the start.
 *
 * Blocks of a cluster that share a channel have slots and barriers each, at the same addresses of their own shared memory. A box
 * of one comes to all along its axis, and is counted at each one's `full`, perhaps before that block has said how many bytes
 * come: no phase ends without that. So a slot may be filled when the warps of the blocks along both axes have released it, and
 * each warp arrives at the `empty` of each of these: without a fence, for a warp that gives a slot away has read and not written.
 * A block across the corner waits for nothing of this one and could arrive twice, so it does not. No block reaches for another
 * that has not begun, or has ended: all meet after the barriers are made, and a block stays until all slots that it filled are
 * released.
 * Source: PTX ISA, "mbarrier", "cp.async.bulk.tensor", "mapa" and "barrier.cluster".
 */
import { assertNever } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Agent, type Team, teamSize, warpgroupAxis } from "../../ir/agent.ts";
import * as b from "../../ir/build.ts";
import { type Arguments, blocksIn, clusterOf, releasersOf } from "../../ir/bulk.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Barrier, BulkCopy, BulkStmt, Channel, Drain, For, Roles, Stmt } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";
import { teamNumberOf } from "../../lower/loops.ts";
import { level } from "../c-family/operators.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { reached, receiversText } from "./cluster-places.ts";
import { addressOperand, qualifier, sharedDeclaration } from "./pieces.ts";

const barrier = "unsigned long long *barrier";

const fixed: Readonly<Record<string, string>> = {
  tensor_map: "struct __align__(64) tensor_map { unsigned char bytes[128]; };",
  mbarrier_init: `${qualifier} void mbarrier_init(${barrier}, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : ${addressOperand("barrier")}, "r"(arrivals) : "memory");
}`,
  mbarrier_init_done: `${qualifier} void mbarrier_init_done() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }`,
  mbarrier_expect: `${qualifier} void mbarrier_expect(${barrier}, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : ${addressOperand("barrier")}, "r"(bytes) : "memory");
}`,
  mbarrier_arrive: `${qualifier} void mbarrier_arrive(${barrier}) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : ${addressOperand("barrier")} : "memory");
}`,
  mbarrier_wait: `${qualifier} void mbarrier_wait(${barrier}, int parity) {
  asm volatile(
    "{\\n\\t"
    ".reg .pred done;\\n\\t"
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n\\t"
    "@!done bra AGAIN;\\n\\t"
    "}" : : ${addressOperand("barrier")}, "r"(parity) : "memory");
}`,
  // With a predicate, because a branch here took one register too many from a product's loop.
  mbarrier_arrive_at: `${qualifier} void mbarrier_arrive_at(${barrier}, int block, int blocks) {
  asm volatile(
    "{\\n\\t"
    ".reg .pred is_one;\\n\\t"
    ".reg .b32 there;\\n\\t"
    "setp.lt.s32 is_one, %1, %2;\\n\\t"
    "@is_one mapa.shared::cluster.u32 there, %0, %1;\\n\\t"
    "@is_one mbarrier.arrive.shared::cluster.b64 _, [there];\\n\\t"
    "}" : : ${addressOperand("barrier")}, "r"(block), "r"(blocks) : "memory");
}`,
  // What others have to see is mbarriers, of which mbarrier_init_done tells them. To release all else took .2 us.
  cluster_meets: `${qualifier} void cluster_meets() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\\n\\tbarrier.cluster.wait.acquire.aligned;" : : : "memory");
}`,
  fence_async: `${qualifier} void fence_async() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }`,
  tma_store_commit: `${qualifier} void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }`,
  tma_store_read: `${qualifier} void tma_store_read() { asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory"); }`,
  tma_store_done: `${qualifier} void tma_store_done() {
  asm volatile("cp.async.bulk.commit_group;\\n\\tcp.async.bulk.wait_group.read 0;" : : : "memory");
}`,
};

export function bulkHelper(name: string): Helper | undefined {
  const text = fixed[name];
  if (text !== undefined) return { text };
  const registers = /^setmaxnreg_(inc|dec)_(\d+)$/.exec(name);
  if (registers) {
    const instruction = `setmaxnreg.${registers[1]}.sync.aligned.u32 ${registers[2]};`;
    return { text: `${qualifier} void ${name}() { asm volatile("${instruction}"); }` };
  }
  const meeting = /^consumers_meet_(\d+)$/.exec(name);
  if (meeting) return { text: `${qualifier} void ${name}() { asm volatile("bar.sync 1, ${meeting[1]};" : : : "memory"); }` };
  if (name === "warpgroup_meets")
    return { text: `${qualifier} void ${name}(int group) { asm volatile("bar.sync %0, 128;" : : "r"(group + 2) : "memory"); }` };
  const pixels = /^tma_pixels_([345])d(_to)?$/.exec(name);
  if (pixels) return pixelHelper(name, Number(pixels[1]), pixels[2] !== undefined);
  const copy = /^tma_(load|store)_([1-5])d(_to)?$/.exec(name);
  if (!copy) return undefined;
  const rank = Number(copy[2]);
  const axes = Array.from({ length: rank }, (_, d) => `x${d}`);
  const given = axes.map((axis) => `int ${axis}`).join(", ");
  const isLoad = copy[1] === "load";
  const holes = axes.map((_, d) => `%${d + 2}`).join(", ");
  const bound = `${axes.map((axis) => `"r"(${axis})`).join(", ")}`;
  if (isLoad && copy[3])
    return {
      needs: ["tensor_map"],
      text: `${qualifier} void ${name}(void *to, const tensor_map *map, ${given}, ${barrier}, unsigned short blocks) {
  asm volatile("cp.async.bulk.tensor.${rank}d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {${holes}}], [%${rank + 2}], %${rank + 3};"
    : : ${addressOperand("to")}, "l"(map), ${bound}, ${addressOperand("barrier")}, "h"(blocks) : "memory");
}`,
    };
  if (isLoad)
    return {
      needs: ["tensor_map"],
      text: `${qualifier} void ${name}(void *to, const tensor_map *map, ${given}, ${barrier}) {
  asm volatile("cp.async.bulk.tensor.${rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {${holes}}], [%${rank + 2}];"
    : : ${addressOperand("to")}, "l"(map), ${bound}, ${addressOperand("barrier")} : "memory");
}`,
    };
  return {
    needs: ["tensor_map"],
    text: `${qualifier} void ${name}(const void *from, const tensor_map *map, ${given}) {
  asm volatile("cp.async.bulk.tensor.${rank}d.global.shared::cta.bulk_group [%1, {${holes}}], [%0];"
    : : ${addressOperand("from")}, "l"(map), ${bound} : "memory");
}`,
  };
}

/** Pixels of images, one after the other: the first one's coordinates, then how far the tap lies, innermost first. */
function pixelHelper(name: string, rank: number, isForAll: boolean): Helper {
  const axes = Array.from({ length: rank }, (_, d) => `x${d}`);
  const taps = axes.slice(2).map((_, d) => `t${d}`);
  const given = [...axes.map((axis) => `int ${axis}`), ...taps.map((tap) => `unsigned short ${tap}`)].join(", ");
  const holes = axes.map((_, d) => `%${d + 2}`).join(", ");
  const offsets = taps.map((_, d) => `%${rank + 3 + d}`).join(", ");
  const bound = `${axes.map((axis) => `"r"(${axis})`).join(", ")}, ${addressOperand("barrier")}, ${taps.map((tap) => `"h"(${tap})`).join(", ")}`;
  const [last, also] = isForAll ? [", unsigned short blocks", `, %${2 * rank + 1}`] : ["", ""];
  const form = `cp.async.bulk.tensor.${rank}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes${isForAll ? ".multicast::cluster" : ""}`;
  return {
    needs: ["tensor_map"],
    text: `${qualifier} void ${name}(void *to, const tensor_map *map, ${given}, ${barrier}${last}) {
  asm volatile("${form} [%0], [%1, {${holes}}], [%${rank + 2}], {${offsets}}${also};"
    : : ${addressOperand("to")}, "l"(map), ${bound}${isForAll ? ', "h"(blocks)' : ""} : "memory");
}`,
  };
}

interface BulkPlace {
  readonly given: Arguments;
  readonly block: Kernel["block"];
  readonly threads: readonly For[];
  /** The loops over the blocks of a cluster. */
  readonly ranks: readonly For[];
  /** A thread's lane in its warp and in its warpgroup. */
  readonly lanes: Readonly<Record<Team, Expr>>;
  readonly analyzer: Analyzer;
  /** Byte offset of a channel's barriers in the dynamic array. */
  readonly offsetOf: (channel: Channel) => number | undefined;
}

/** Who starts stores. The first thread of the first warpgroup is that of the block. */
function drainsIn(s: Stmt): Drain["agent"] | undefined {
  let found: Drain["agent"] | undefined;
  walkStmt(s, (part) => {
    if (part.kind === "Drain" && found !== "warpgroup") found = part.agent;
  });
  return found;
}

function phase(analyzer: Analyzer, turn: Expr, { slots }: Channel): Expr {
  return analyzer.simplify(b.floorModulo(b.floorDiv(turn, b.int(slots)), b.int(2)));
}

export class BulkPrinter {
  readonly #place: BulkPlace;
  #full = "";
  #role: "producer" | "consumers" | undefined;
  /** Whose first threads have the engine store results that they wait for later. */
  #drains: Drain["agent"] | undefined;

  constructor(place: BulkPlace) {
    this.#place = place;
  }

  print(p: CPrinter, s: BulkStmt): void {
    switch (s.kind) {
      case "AllocChannel":
        this.#declare(p, s.channel);
        p.stmt(s.body);
        if (s.channel.cluster) this.#outlive(p, s.channel, s.body);
        p.names.release(s.channel);
        return;
      case "Fill":
        this.#byOne(p, () => {
          const first = p.analyzer.boundsOf(p.analyzer.linear(s.turn)).hi < s.channel.slots;
          const [full, empty] = this.#sides(p, s.channel, s.turn);
          const before = p.analyzer.simplify(b.sub(b.int(1), phase(p.analyzer, s.turn, s.channel)));
          // Nobody uses the slots in the first turns.
          if (!first) p.line(`${p.prelude.use("mbarrier_wait")}(${empty}, ${p.expr(before)});`);
          p.line(`${p.prelude.use("mbarrier_expect")}(${full}, ${s.bytes});`);
          this.#full = full;
          p.stmt(s.body);
        });
        return;
      case "Drain":
        this.#byFirst(p, s.agent, () => {
          p.stmt(s.body);
          // Consumers continue, and wait at their next meeting.
          p.line(`${p.prelude.use(this.#role ? "tma_store_commit" : "tma_store_done")}();`);
        });
        return;
      case "Await": {
        const [full] = this.#sides(p, s.channel, s.turn);
        p.line(`${p.prelude.use("mbarrier_wait")}(${full}, ${p.expr(phase(p.analyzer, s.turn, s.channel))});`);
        p.line("__syncwarp();");
        return;
      }
      case "Release": {
        const [, empty] = this.#sides(p, s.channel, s.turn);
        p.line("__syncwarp();");
        this.#arrive(p, empty, s.channel);
        return;
      }
      case "BulkCopy":
        this.#copy(p, s);
        return;
      case "Roles":
        this.#roles(p, s);
        return;
      case "Fence":
        p.line(`${p.prelude.use("fence_async")}();`);
        return;
      default:
        assertNever(s);
    }
  }

  #declare(p: CPrinter, channel: Channel): void {
    const { offsetOf } = this.#place;
    const name = p.names.declare(channel, channel.name);
    const offset = offsetOf(channel);
    p.line(sharedDeclaration({ type: "unsigned long long", name, length: 2 * channel.slots, align: 8 }, offset));
    const warps = Math.ceil(this.#count / teamSize.warp) * releasersOf(channel);
    this.#byOne(p, () => {
      const init = p.prelude.use("mbarrier_init");
      p.line(`for (int i = 0; i < ${channel.slots}; ++i) ${init}(${name} + i, 1);`);
      p.line(`for (int i = 0; i < ${channel.slots}; ++i) ${init}(${name} + ${channel.slots} + i, ${warps});`);
      p.line(`${p.prelude.use("mbarrier_init_done")}();`);
    });
    p.line(channel.cluster ? `${p.prelude.use("cluster_meets")}();` : "__syncthreads();");
  }

  /**
   * A block stays until the others have released all slots that it filled for them: an arrival at a block that has ended is a
   * fault. Nothing else is on its way to it, because it has waited for every box. CUTLASS calls this the producer's tail.
   */
  #outlive(p: CPrinter, channel: Channel, body: Stmt): void {
    const { analyzer } = this.#place;
    let last = -1;
    walkStmt(body, (s) => {
      if (s.kind === "Await" && s.channel === channel) last = Math.max(last, analyzer.boundsOf(analyzer.linear(s.turn)).hi);
    });
    if (last < 0) return;
    const { slots } = channel;
    const [round, slot] = [Math.floor(last / slots), last % slots];
    const parity = round === 0 || slot === slots - 1 ? `${round % 2}` : `i <= ${slot} ? ${round % 2} : ${(round + 1) % 2}`;
    const wait = `${p.prelude.use("mbarrier_wait")}(${p.names.get(channel)} + ${slots} + i, ${parity});`;
    this.#byOne(p, () => p.line(`for (int i = 0; i < ${Math.min(slots, last + 1)}; ++i) ${wait}`));
  }

  /** One lane of each warp tells the blocks that fill a slot that the warp has read it. */
  #arrive(p: CPrinter, empty: string, channel: Channel): void {
    const { threads } = this.#place;
    const lane = this.#place.lanes.warp;
    const { cluster } = channel;
    if (cluster === undefined) {
      const arrive = `${p.prelude.use("mbarrier_arrive")}(${empty});`;
      p.line(threads.length === 0 ? arrive : `if (${p.expr(b.eq(lane, b.int(0)))}) ${arrive}`);
      return;
    }
    const arrive = p.prelude.use("mbarrier_arrive_at");
    const { ranks } = this.#place;
    const blocks = releasersOf(channel);
    const all = Math.max(blocks, blocksIn(clusterOf(ranks)));
    const told = (i: Expr): string => `${arrive}(${empty}, ${p.expr(i)}, ${all});`;
    const last = this.#count % teamSize.warp || teamSize.warp;
    if (last >= blocks) {
      // Lanes beyond name a block that there is not.
      const one = reached(ranks, cluster, lane);
      p.line(told(blocks === all ? one : b.select(b.lt(lane, b.int(blocks)), one, b.int(all))));
      return;
    }
    const i = b.variable("i");
    const name = p.names.declare(i, "i");
    const loop = `for (int ${name} = 0; ${name} < ${blocks}; ++${name})`;
    p.line(`if (${p.expr(b.eq(lane, b.int(0)))}) ${loop} ${told(reached(ranks, cluster, i))}`);
    p.names.release(i);
  }

  /** A producer does not take part in a barrier of the kernel's threads. Barriers 0 and 1 are those of all and of consumers. */
  barrier(p: CPrinter, { agent }: Barrier): void {
    if (agent !== "warp") this.#stored(p);
    if (agent === "warp") p.line("__syncwarp();");
    else if (agent === "warpgroup") p.line(`${p.prelude.use("warpgroup_meets")}(${p.expr(this.#warpgroup)});`);
    else p.line(this.#role ? `${p.prelude.use(`consumers_meet_${this.#count}`)}();` : "__syncthreads();");
  }
  /** Waits until the engine has read what consumers had it store. */
  #stored(p: CPrinter): void {
    if (this.#drains) this.#byFirst(p, this.#drains, () => p.line(`${p.prelude.use("tma_store_read")}();`));
  }
  /** Its number. */
  get #warpgroup(): Expr {
    return teamNumberOf(this.#place.threads, "warpgroup", this.#place.analyzer);
  }
  get #count(): number {
    return this.#place.threads.reduce((count, { extent }) => count * extent, 1);
  }

  #roles(p: CPrinter, { producer, consumers, registers }: Roles): void {
    const extentOf = (tag: string) => this.#place.threads.find(({ thread }) => thread === tag)?.extent ?? 1;
    const axis = warpgroupAxis(["threadIdx.x", "threadIdx.y"].map(extentOf)) ?? "threadIdx.y";
    const isOne = axis === "threadIdx.y" ? "threadIdx.x == 0" : "threadIdx.x == 0 && threadIdx.y == 0";
    const role = (which: "producer" | "consumers", how: string, body: () => void) => {
      this.#role = which;
      p.indented(() => {
        if (registers) p.line(`${p.prelude.use(`setmaxnreg_${how}`)}();`);
        body();
      });
      this.#role = undefined;
    };
    p.line(`if (${axis} == ${extentOf(axis)}) {`);
    role("producer", `dec_${registers?.[0]}`, () => p.block(`if (${isOne})`, () => p.stmt(producer)));
    p.line("} else {");
    this.#drains = drainsIn(consumers);
    role("consumers", `inc_${registers?.[1]}`, () => {
      p.stmt(consumers);
      this.#stored(p);
    });
    p.line("}");
  }

  /** Thread 0 does it; its warp continues with it. A producer is one thread. */
  #byOne(p: CPrinter, body: () => void): void {
    this.#byFirst(p, "block", body);
  }
  /** The agent's first thread does it. */
  #byFirst(p: CPrinter, agent: Agent, body: () => void): void {
    const { block, threads, lanes } = this.#place;
    if (threads.length === 0 || this.#role === "producer") {
      p.braces(body);
      return;
    }
    const numbers = agent === "block" ? threads.map(({ loopVar }) => loopVar) : [lanes[agent]];
    const isFirst = p.expr(b.and(...numbers.map((number) => b.eq(number, b.int(0)))));
    // A producer's threads may differ from the others by an axis of which there is no loop.
    const others = agent === "block" && !this.#role ? (["threadIdx.y", "threadIdx.z"] as const) : [];
    const isOwn = others
      .filter((axis, d) => (block[d + 1] ?? 1) > 1 && !threads.some(({ thread }) => thread === axis))
      .map((axis) => ` && ${axis} == 0`);
    p.block(`if (${isFirst}${isOwn.join("")})`, body);
    p.line("__syncwarp();");
  }

  /** Addresses of the slot's barriers: full, empty. */
  #sides(p: CPrinter, channel: Channel, turn: Expr): readonly [string, string] {
    const slot = p.analyzer.simplify(b.floorModulo(turn, b.int(channel.slots)));
    const name = p.names.get(channel);
    const at = (first: number) => {
      const offset = b.isInt(slot)
        ? String(slot.value + first)
        : `${first > 0 ? `${first} + ` : ""}${p.expr(slot, level.sum + 1)}`;
      return offset === "0" ? name : `${name} + ${offset}`;
    };
    return [at(0), at(channel.slots)];
  }

  #copy(p: CPrinter, s: BulkCopy): void {
    const map = `&${p.names.get(this.#place.given.mapOf(s))}`;
    const index = s.indices[0] as Expr;
    const array = p.names.get(s.shared);
    const shared = b.isInt(index, 0) ? array : `${array} + ${p.expr(index, level.sum + 1)}`;
    const innermostFirst = (list: readonly Expr[]) => list.map((e) => p.expr(e)).reverse();
    const origin = innermostFirst(s.origin);
    const rank = `${origin.length}d`;
    const blocks = s.multicast && receiversText(p, this.#place.ranks, s.multicast);
    if (s.taps) {
      const load = p.prelude.use(`tma_pixels_${rank}${blocks ? "_to" : ""}`);
      const given = [shared, map, ...origin, ...innermostFirst(s.taps), this.#full];
      p.line(`${load}(${[...given, ...(blocks ? [blocks] : [])].join(", ")});`);
      return;
    }
    if (blocks) p.line(`${p.prelude.use(`tma_load_${rank}_to`)}(${[shared, map, ...origin, this.#full, blocks].join(", ")});`);
    else if (s.direction === "in")
      p.line(`${p.prelude.use(`tma_load_${rank}`)}(${[shared, map, ...origin, this.#full].join(", ")});`);
    else p.line(`${p.prelude.use(`tma_store_${rank}`)}(${[shared, map, ...origin].join(", ")});`);
  }
}
