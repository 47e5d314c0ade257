/**
 * CUDA C++ text of device kernels: header-free, so that NVRTC needs nothing from the disk; deterministic; for people to read.
 * Launched axes become constants named as in the schedule; shared arrays are static up to 48 KiB, beyond that parts of one
 * dynamic array.
 *
 * A vector is a struct moved whole (`*(const f32x4 *)(A + i)`). Arithmetic on vectors goes lane by lane: the machine has none.
 * Arrays in registers are read and written by element.
 */
import { dtypeBytes, isPacked } from "@warpfarm/common";
import { fragmentsOf } from "../../intrinsic/fragment-place.ts";
import { type Buffer, isFragmentScope } from "../../ir/buffer.ts";
import { argumentsOf, bulkAlignmentOf, channelsOf, clusterOf, ranksIn, slotBarrierBytes } from "../../ir/bulk.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { type MachineStmt, touches } from "../../ir/parts.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { alignmentOf, sharedLayout, tileArrayAlignment } from "../../ir/shared-layout.ts";
import type { Channel, For, Stmt, ThreadTag } from "../../ir/stmt.ts";
import { children, holds, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, isThreadIdx, laneOf, readsMemory, usesAny } from "../../lower/loops.ts";
import { rolesIn } from "../../verify/roles.ts";
import { Prelude } from "../c-family/prelude.ts";
import { type CFlavour, CPrinter } from "../c-family/printer.ts";
import { sharedArray } from "../c-family/types.ts";
import { asyncHelper, printAsyncCopy } from "./async-copy.ts";
import { BulkPrinter, bulkHelper } from "./bulk-copy.ts";
import { coarseHelper, coarseText, isCoarse } from "./coarse.ts";
import { cudaHelper, cudaTypes, hopperConversions } from "./dtype.ts";
import { ClusterFolds, foldHelper, printFold } from "./fold.ts";
import { handoverHelper, printHandover } from "./handover.ts";
import { fragmentDeclaration, fragmentElement, printInvoke } from "./invoke.ts";
import { sharedDeclaration } from "./pieces.ts";
import { placeText } from "./place.ts";
import { rollsTileLoops } from "./tile-loops.ts";
import { vectorStore } from "./vectors.ts";
import { ProductGroups } from "./wgmma.ts";

/** The most that a kernel may declare statically, on every architecture. */
const staticSharedLimit = 49_152;
interface CudaKernelText {
  readonly text: string;
  readonly dynamicSharedBytes: number;
}

function allocationsOf(body: Stmt): readonly Buffer[] {
  const found: Buffer[] = [];
  walkStmt(body, (s) => {
    if (s.kind === "Allocate") found.push(s.buffer);
  });
  return found;
}

const alignmentsOf = (body: Stmt): ((buffer: Buffer) => number) => {
  const inTiles = new Set<Buffer>();
  const inBoxes = new Set<Buffer>();
  walkStmt(body, (s) => {
    for (const { buffer, tile } of touches(s)) if (tile) (tile.operand.descriptor ? inBoxes : inTiles).add(buffer);
    if (s.kind === "BulkCopy") inBoxes.add(s.shared);
  });
  return (buffer) =>
    alignmentOf({ inTiles: inTiles.has(buffer), ...(inBoxes.has(buffer) ? { align: bulkAlignmentOf(buffer) } : {}) });
};

interface DynamicShared {
  /** Byte offsets of shared arrays and of barriers in the one dynamic array; empty when they fit statically. */
  readonly offsets: ReadonlyMap<Buffer | Channel | ClusterFolds, number>;
  readonly bytes: number;
  readonly align: number;
}

function dynamicOffsets(body: Stmt, folds: ClusterFolds): DynamicShared {
  const alignOf = alignmentsOf(body);
  const arrays = allocationsOf(body).filter(({ scope }) => scope === "shared");
  const channels = channelsOf(body);
  const layout = sharedLayout([
    ...arrays.map((buffer) => ({ bytes: dtypeBytes(buffer.dtype, buffer.shape[0]), inTiles: false, align: alignOf(buffer) })),
    ...channels.map(({ slots }) => ({ bytes: slots * slotBarrierBytes, inTiles: false })),
    { bytes: folds.barrierBytes, inTiles: false },
  ]);
  const offsets = new Map([...arrays, ...channels, folds].map((array, k) => [array, layout.offsets[k] as number]));
  const align = Math.max(tileArrayAlignment, ...arrays.map(alignOf));
  const { bytes } = layout;
  return bytes > staticSharedLimit ? { offsets, bytes, align } : { offsets: new Map(), bytes: 0, align };
}

/** Starts of runs (passes/clamp-copies.ts): minima that occur several times in a loop's copies, and are constant in it. */
function startsIn(loop: For): readonly Expr[] {
  const times = new Map<Expr, number>();
  const changing = new Set<Var>();
  const look = (e: Expr): void => {
    if (e.kind === "Min" && e.dtype === "int32") times.set(e, (times.get(e) ?? 0) + 1);
    else for (const child of children(e)) look(child);
  };
  walkStmt(loop, (s) => {
    if (s.kind === "For") changing.add(s.loopVar);
    else if (s.kind === "Store" && s.buffer.scope === "shared") {
      for (const index of s.indices) look(index);
      look(s.value);
    } else if (s.kind === "If") look(s.cond);
  });
  return [...times].filter(([e, n]) => n > 1 && !usesAny(e, changing) && !readsMemory(e)).map(([e]) => e);
}

/** Looked-up places (schedule/infer/curves.ts) that are constant in a loop. */
function placesIn(loop: For): readonly Expr[] {
  const places = new Set<Expr>();
  const changing = new Set<Var>();
  walkStmt(
    loop,
    (s) => {
      if (s.kind === "For") changing.add(s.loopVar);
    },
    (e) =>
      walkExpr(e, (part) => {
        if (part.kind === "Lookup") places.add(part);
      }),
  );
  return [...places].filter((e) => !usesAny(e, changing));
}

function loop(printer: CPrinter, s: For, rollsTiles: boolean): void {
  for (const start of startsIn(s)) if (!printer.names.get(start)) printer.constant(start, "start");
  for (const place of placesIn(s)) if (!printer.names.get(place)) printer.constant(place, "place");
  const at = printer.lines.length;
  if (s.forKind === "unrolled") printer.line(s.factor ? `#pragma unroll ${s.factor}` : "#pragma unroll");
  else if (rollsTiles && holds(s, "Invoke")) printer.line("#pragma unroll 1");
  // Steps through arrays that are filled and used in turn.
  const hasTurns = s.forKind === "serial" && holds(s, "Barrier", "Await");
  printer.serialLoop(s, hasTurns ? at : undefined);
}

function headsOf(func: Stmt): { readonly heads: readonly For[]; readonly body: Stmt } {
  const heads: For[] = [];
  let body = func;
  for (; body.kind === "For" && body.forKind === "bound"; body = body.body) heads.push(body);
  return { heads, body };
}

/** An array of a thread, or one of the block, static or, with `offset`, in the launch's dynamic memory. */
function arrayDeclaration(name: string, buffer: Buffer, offset: number | undefined, align: number): string {
  if (buffer.scope === "local") return `${cudaTypes.storage(buffer.dtype)} ${name}[${buffer.shape[0]}];`;
  const { type, length } = sharedArray(cudaTypes, buffer);
  return sharedDeclaration({ type, name, length, align }, offset);
}

/** Blocks of a cluster are neighbours in x. */
function axisText(thread: ThreadTag | undefined, heads: readonly For[]): string | undefined {
  const { x, y } = clusterOf(heads);
  if (thread === "clusterIdx.x") return `blockIdx.x % ${x}`;
  if (thread === "clusterIdx.y") return x > 1 ? `blockIdx.x / ${x} % ${y}` : `blockIdx.x % ${y}`;
  return thread === "blockIdx.x" && x * y > 1 ? `blockIdx.x / ${x * y}` : thread;
}

function launchBounds({ func, block: [x, y, z], minBlocks }: Kernel): string {
  // Roles exchange registers only if the number at the start is known: ptxas then uses all of them.
  const least = minBlocks ?? (rolesIn(func.body)?.registers ? 1 : undefined);
  return least === undefined ? `${x * y * z}` : `${x * y * z}, ${least}`;
}

function parameters(printer: CPrinter, { func, awaited }: Kernel, given: ReturnType<typeof argumentsOf>): readonly string[] {
  const { names, prelude } = printer;
  const written = new Set<Buffer>();
  walkStmt(func.body, (s) => {
    for (const { buffer, how } of touches(s)) if (how === "write") written.add(buffer);
  });
  const pointers = given.pointers.map((buffer) => {
    const constant = written.has(buffer) ? "" : "const ";
    // Memory that nobody else writes may be read at any time, even before a wait.
    const own = awaited?.has(buffer) ? "" : "__restrict__ ";
    return `${constant}${sharedArray(cudaTypes, buffer).type} *${own}${names.declare(buffer, buffer.name)}`;
  });
  const maps = given.maps.map(
    (map) => `const __grid_constant__ ${prelude.use("tensor_map")} ${names.declare(map, `${map.buffer.name}_map`)}`,
  );
  return [...pointers, ...maps];
}

/** The number of the block or thread in each loop that the text uses. */
const placesText = ({ names }: CPrinter, heads: readonly For[]): readonly string[] =>
  heads
    .filter(({ loopVar }) => names.isUsed(loopVar))
    .map((head) => `  const int ${names.get(head.loopVar)} = ${axisText(head.thread, heads)};  // < ${head.extent}`);

export function cudaKernelText(kernel: Kernel, prelude: Prelude): CudaKernelText {
  const { func } = kernel;
  const folds = new ClusterFolds(kernel);
  const dynamic = dynamicOffsets(func.body, folds);
  const alignOf = alignmentsOf(func.body);
  const fragments = fragmentsOf(func.body);
  const rollsTiles = rollsTileLoops(kernel);
  const products = new ProductGroups(fragments, rolesIn(func.body) !== undefined);
  let inAsyncGroup = false;
  const machine = (p: CPrinter, s: MachineStmt): void => {
    switch (s.kind) {
      case "Invoke":
        printInvoke(p, s, lanes[s.intrinsic.agent]);
        return;
      case "Fold":
        if (s.exchange) folds.print(p, s, s.exchange);
        else printFold(p, s);
        return;
      case "Handover":
        printHandover(p, s);
        return;
      case "Barrier":
        bulk.barrier(p, s);
        return;
      case "Async":
        if (s.engine === "wgmma") products.group(p, s);
        else {
          inAsyncGroup = true;
          p.stmt(s.body);
          inAsyncGroup = false;
          p.line(`${p.prelude.use("cp_async_commit")}();`);
        }
        return;
      case "Wait":
        if (s.engine === "wgmma") products.wait(p, s);
        else p.line(`${p.prelude.use(`cp_async_wait_${s.pending}`)}();`);
        return;
      default:
        bulk.print(p, s);
    }
  };
  const flavour: CFlavour = {
    types: cudaTypes,
    ...(isCoarse(func.body) ? { arithmetic: coarseText } : {}),
    vectorStore: (p, s) => vectorStore(p, s, fragments.get(s.buffer)),
    asyncCopy: (p, s) => inAsyncGroup && printAsyncCopy(p, s),
    loop: (p, s) => loop(p, s, rollsTiles),
    machine,
    isWords: (buffer) => isPacked(buffer.dtype) && buffer.scope !== "local",
    element: (p, buffer, index) => {
      const kept = fragments.get(buffer);
      if (kept) return fragmentElement(p, buffer, index, kept);
      return `${p.names.get(buffer)}[${buffer.swizzle ? placeText(p, buffer, p.analyzer.linear(index)) : p.expr(index)}]`;
    },
    allocate: (p, buffer) => {
      const name = p.names.declare(buffer, buffer.name);
      if (isFragmentScope(buffer.scope)) p.line(fragmentDeclaration(name, buffer, fragments.get(buffer)));
      else p.line(arrayDeclaration(name, buffer, dynamic.offsets.get(buffer), alignOf(buffer)));
    },
  };
  const analyzer = analyzerFor(func.body);
  const { heads, body } = headsOf(func.body);
  const threads = heads.filter(({ thread }) => isThreadIdx(thread));
  const lanes = { warp: laneOf(threads, "warp", analyzer), warpgroup: laneOf(threads, "warpgroup", analyzer) };
  const given = argumentsOf(func);
  const offsetOf = (channel: Channel) => dynamic.offsets.get(channel);
  const bulk = new BulkPrinter({ given, block: kernel.block, threads, ranks: ranksIn(heads), lanes, analyzer, offsetOf });
  const printer = printerFor(func, flavour, prelude, analyzer);
  const params = parameters(printer, kernel, given);
  for (const { loopVar } of heads) printer.names.declare(loopVar, loopVar.name);
  printer.indented(() => {
    folds.open(printer, dynamic.offsets.get(folds));
    printer.stmt(body);
  });
  const opening = `extern "C" __global__ void __launch_bounds__(${launchBounds(kernel)}) ${func.name}(${params.join(", ")}) {`;
  const memory = dynamic.bytes > 0 ? [`  extern __shared__ __align__(${dynamic.align}) unsigned char shared_memory[];`] : [];
  const places = placesText(printer, heads);
  return { text: [opening, ...memory, ...places, ...printer.lines, "}"].join("\n"), dynamicSharedBytes: dynamic.bytes };
}

function printerFor(
  { name }: Kernel["func"],
  flavour: CFlavour,
  prelude: Prelude,
  analyzer: ReturnType<typeof analyzerFor>,
): CPrinter {
  const printer = new CPrinter(flavour, prelude, analyzer);
  printer.names.reserve(name);
  return printer;
}

/** `isHopper`: for sm_90a, whose instructions no other target has. */
export const cudaPrelude = (isHopper = false): Prelude =>
  new Prelude(
    (name) =>
      (isHopper ? hopperConversions[name] : undefined) ??
      asyncHelper(name) ??
      bulkHelper(name) ??
      coarseHelper(name) ??
      foldHelper(name) ??
      handoverHelper(name) ??
      cudaHelper(name),
  );
