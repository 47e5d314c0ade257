/**
 * Values that lanes of a warp combine by shuffles: __shfl_xor_sync at halving distances (PTX ISA, "shfl.sync"). Afterwards each
 * lane of a group has the combination of all, in one order. The mask names all 32 lanes: groups are never partial, and lanes that
 * a block lacks are not waited for.
 *
 * Values that blocks of a cluster combine: the first threads of a row write theirs to the shared memory of each block, and each
 * thread reads what its own block has. Before a block writes to others they must have begun. Stores count at an mbarrier of the
 * block that they reach (st.async), whose wait has the scope of CUTLASS's: a barrier of the cluster would need a release, for
 * which warps wait long. In a kernel that reaches a fold several times, has a ring that blocks share, or folds values of less
 * than 4 bytes, which st.async does not take, all blocks meet instead: before each fold, because others may still read what the
 * array had, and after it.
 */
import { type DType, dtypeBytes, isFloat } from "@warpfarm/common";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import { foldBarrierBytes } from "../../ir/fold.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Combiner, Fold, Stmt } from "../../ir/stmt.ts";
import { someStmt, walkStmt } from "../../ir/visit.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { allDTypes, shortName } from "../c-family/types.ts";
import { cudaTypes } from "./dtype.ts";
import { addressOperand, qualifier, sharedDeclaration } from "./pieces.ts";

const byShortName = new Map([...allDTypes].map((dtype) => [shortName[dtype], dtype]));

export function foldHelper(name: string): Helper | undefined {
  const known = meetings[name];
  if (known) return known;
  const [, sent] = /^send_([a-z]+\d+)$/.exec(name) ?? [];
  if (sent !== undefined) return sendHelper(name, byShortName.get(sent));
  const [, combiner, type = "", of, count] = /^fold_(sum|prod|max|min)_([a-z]+\d+)_(x|blocks)(\d+)$/.exec(name) ?? [];
  const dtype = byShortName.get(type);
  if (!combiner || !dtype) return undefined;
  const storage = cudaTypes.storage(dtype);
  const emulated = cudaTypes.isEmulated(dtype);
  const value = emulated ? "float" : storage;
  const step = stepOf(combiner as Combiner, dtype);
  const lines: string[] = [];
  const widened = (text: string) => (emulated ? `${type}_to_f32(${text})` : text);
  if (of === "blocks")
    for (let block = 1; block < Number(count); block++) lines.push(`  v = ${step.text("v", widened(`x[${block}]`))};`);
  else
    for (let distance = Number(count) / 2; distance >= 1; distance /= 2)
      lines.push(`  v = ${step.text("v", `__shfl_xor_sync(0xffffffffu, v, ${distance})`)};`);
  const [given, first] = of === "blocks" ? [`const ${storage} *x`, "x[0]"] : [`${storage} x`, "x"];
  return {
    needs: [...step.needs, ...(emulated ? [`${type}_to_f32`, `f32_to_${type}`] : [])],
    text: [
      `${qualifier} ${storage} ${name}(${given}) {`,
      `  ${value} v = ${widened(first)};`,
      ...lines,
      `  return ${emulated ? `f32_to_${type}(v)` : "v"};`,
      "}",
    ].join("\n"),
  };
}

const meetings: Readonly<Record<string, Helper>> = {
  cluster_arrive: {
    text: `${qualifier} void cluster_arrive() { __syncwarp(); asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory"); }`,
  },
  cluster_wait: {
    text: `${qualifier} void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory"); }`,
  },
  in_block: {
    text: `${qualifier} void *in_block(void *p, int block) { unsigned long long q; asm("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(block)); return (void *)q; }`,
  },
};

/** Constraints of registers that st.async stores; types of fewer than 4 bytes have none. */
const sendable: Partial<Record<DType, string>> = { float32: "f", int32: "r", float64: "d", int64: "l" };

function sendHelper(name: string, dtype: DType | undefined): Helper | undefined {
  const register = dtype && sendable[dtype];
  if (!register) return undefined;
  return {
    text: `${qualifier} void ${name}(void *to, unsigned long long *barrier, int block, ${cudaTypes.storage(dtype)} value) {
  asm volatile(
    "{\\n\\t"
    ".reg .b32 there, counts;\\n\\t"
    "mapa.shared::cluster.u32 there, %0, %2;\\n\\t"
    "mapa.shared::cluster.u32 counts, %1, %2;\\n\\t"
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b${8 * dtypeBytes(dtype)} [there], %3, [counts];\\n\\t"
    "}" : : ${addressOperand("to")}, ${addressOperand("barrier")}, "r"(block), "${register}"(value) : "memory");
}`,
  };
}

interface Step {
  readonly needs: readonly string[];
  readonly text: (a: string, b: string) => string;
}

function stepOf(combiner: Combiner, dtype: DType): Step {
  const type = shortName[dtype];
  const called = (helper: string): Step => ({ needs: [helper], text: (a, b) => `${helper}(${a}, ${b})` });
  if (combiner === "max" || combiner === "min") return called(`${combiner}_${cudaTypes.isEmulated(dtype) ? "f32" : type}`);
  const [word, sign] = combiner === "sum" ? ["add", "+"] : ["mul", "*"];
  if (dtype === "int32" || dtype === "int64") return called(`${word}_${type}`);
  if (cudaTypes.isEmulated(dtype)) return { needs: [`round_${type}`], text: (a, b) => `round_${type}(${a} ${sign} ${b})` };
  if (isFloat(dtype)) return { needs: [], text: (a, b) => `${a} ${sign} ${b}` };
  return { needs: [], text: (a, b) => `(${cudaTypes.storage(dtype)})(${a} ${sign} ${b})` };
}

/** The folds over blocks of one kernel: how values reach the other blocks, and when these are known to have come. */
export class ClusterFolds {
  readonly #block: Kernel["block"];
  /** Arrays whose values count at an mbarrier: each fold has its own, and is reached once. Else all blocks meet. */
  readonly #counted: readonly Buffer[];
  #hasBegun = false;

  constructor({ block, func: { body } }: Kernel) {
    this.#block = block;
    const arrays: Buffer[] = [];
    let isRepeated = false;
    walkStmt(body, (s) => {
      if (s.kind === "Fold" && s.exchange) arrays.push(s.exchange);
      if (s.kind === "For" && s.forKind !== "bound") isRepeated ||= overBlocks(s);
      if (s.kind === "AllocChannel") isRepeated ||= s.channel.cluster !== undefined;
    });
    const isCounted =
      !isRepeated && new Set(arrays).size === arrays.length && arrays.every(({ dtype }) => sendable[dtype] !== undefined);
    this.#counted = isCounted ? arrays : [];
  }

  /** Of the mbarriers, in shared memory. */
  get barrierBytes(): number {
    return foldBarrierBytes * this.#counted.length;
  }

  /**
   * At the start of the kernel, where a block says that it has begun, with its mbarriers made. `offset`: of these in the dynamic
   * array.
   */
  open(printer: CPrinter, offset: number | undefined): void {
    if (this.#counted.length === 0) return;
    const { prelude, names } = printer;
    const counter = names.declare(this, "folded");
    const array = { type: "unsigned long long", name: counter, length: this.#counted.length, align: 8 };
    printer.line(sharedDeclaration(array, offset));
    printer.block("if (threadIdx.x + threadIdx.y + threadIdx.z == 0)", () => {
      for (const [at, array] of this.#counted.entries()) {
        printer.line(`${prelude.use("mbarrier_init")}(${counter} + ${at}, 1);`);
        printer.line(`${prelude.use("mbarrier_expect")}(${counter} + ${at}, ${dtypeBytes(array.dtype, bufferSize(array))});`);
      }
    });
    printer.line(`${prelude.use("cluster_arrive")}();`);
  }

  print(printer: CPrinter, { combiner, buffer, blocks = 1 }: Fold, exchange: Buffer): void {
    const { prelude, names } = printer;
    const [x, y, z] = this.#block;
    const call = (name: string) => printer.line(`${prelude.use(name)}();`);
    const at = this.#counted.indexOf(exchange);
    if (at < 0) call("cluster_arrive");
    if (at < 0 || !this.#hasBegun) call("cluster_wait");
    this.#hasBegun = true;
    const size = bufferSize(buffer);
    const row = y * z === 1 ? "" : `(threadIdx.z * ${y} + threadIdx.y) * ${size * blocks} + `;
    const counter = names.get(this);
    const [own, array, type] = [names.get(buffer), names.get(exchange), cudaTypes.storage(buffer.dtype)];
    const each = (body: (e: string, place: string) => string) => {
      if (size === 1) return printer.line(body("0", `${row}`));
      printer.line("#pragma unroll");
      printer.line(`for (int e = 0; e < ${size}; ++e) ${body("e", `${row}e * ${blocks} + `)}`);
    };
    const one = x >= blocks;
    const [to, head] = one
      ? ["threadIdx.x", `if (threadIdx.x < ${blocks})`]
      : ["to", `for (int to = threadIdx.x; to < ${blocks}; to += ${x})`];
    const send = (place: string, value: string): string =>
      at < 0
        ? `*(${type} *)${prelude.use("in_block")}(${place}, ${to}) = ${value};`
        : `${prelude.use(`send_${shortName[buffer.dtype]}`)}(${place}, ${counter} + ${at}, ${to}, ${value});`;
    printer.block(head, () => each((e, place) => send(`${array} + (${place}blockIdx.x % ${blocks})`, `${own}[${e}]`)));
    if (at < 0) {
      call("cluster_arrive");
      call("cluster_wait");
    } else printer.line(`${prelude.use("mbarrier_wait")}(${counter} + ${at}, 0);`);
    const helper = prelude.use(`fold_${combiner}_${shortName[buffer.dtype]}_blocks${blocks}`);
    each((e, place) => `${own}[${e}] = ${helper}(${array}${place === "" ? "" : ` + (${place}0)`});`);
  }
}

const overBlocks = (s: Stmt): boolean => someStmt(s, (part) => part.kind === "Fold" && part.exchange !== undefined);

export function printFold(printer: CPrinter, { combiner, buffer, lanes }: Fold): void {
  const helper = printer.prelude.use(`fold_${combiner}_${shortName[buffer.dtype]}_x${lanes}`);
  const name = printer.names.get(buffer);
  const size = bufferSize(buffer);
  if (size > 1) printer.line("#pragma unroll");
  const at = size > 1 ? "e" : "0";
  const line = `${name}[${at}] = ${helper}(${name}[${at}]);`;
  printer.line(size > 1 ? `for (int e = 0; e < ${size}; ++e) ${line}` : line);
}
