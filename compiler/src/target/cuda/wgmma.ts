/**
 * Groups of matrix products in flight. A fence precedes a group, because other code may have touched its registers. Until the
 * wait nobody may use a group's sums, or write factors that it reads from registers. The compiler does not know this, so after a
 * wait each register of the groups that it ends goes through a statement, and no use of it can move up; factors go through one
 * before the fence, too, and are written by then. Source: PTX ISA, "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group".
 */
import type { FragmentStorage } from "../../intrinsic/fragment-place.ts";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import type { RegisterType } from "../../ir/intrinsic.ts";
import type { Async, Wait } from "../../ir/stmt.ts";
import { groupOf } from "../../lower/passes/place-waits.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { registerType } from "./invoke.ts";
import { qualifier } from "./pieces.ts";

function helper(p: CPrinter, name: string, instruction: string): string {
  return p.prelude.define(
    name,
    (given) => `${qualifier} void ${given}() {\n  asm volatile("${instruction};" : : : "memory");\n}`,
  );
}

/**
 * In a block without a producer, ptxas 13.0 moves conversions of sums up to before the wait, unless something ends the straight
 * code there: the kernels wrote sums that lacked their last products, or ptxas noticed and ran one product after the other
 * (C7514). A trap ends it. It is never taken, for a launch has blocks.
 */
const endOfStraightCode = [
  "{",
  ".reg .pred p;",
  ".reg .b32 m;",
  "mov.u32 m, %nctaid.x;",
  "setp.eq.u32 p, m, 0;",
  "@p trap;",
  "}",
];

/** `isEnd`: straight code ends there. */
function settle(p: CPrinter, register: RegisterType, count: number, isEnd: boolean): string {
  const [type, constraint] = registerType[register];
  const kind = register === "f32" ? "" : `${register}_`;
  return p.prelude.define(`wgmma_${isEnd ? "end" : "settle"}_${kind}${count}`, (given) => {
    const lines = Array.from({ length: Math.ceil(count / 8) }, (_, line) =>
      Array.from({ length: Math.min(8, count - line * 8) }, (_, r) => `"+${constraint}"(c[${line * 8 + r}])`).join(", "),
    );
    return [
      `${qualifier} void ${given}(${type} *c) {`,
      `  asm volatile("${isEnd ? endOfStraightCode.join("\\n\\t") : ""}" :`,
      lines.map((line) => `    ${line}`).join(",\n"),
      "  );",
      "}",
    ].join("\n");
  });
}

/** The groups of one kernel, in the order of its text. */
export class ProductGroups {
  readonly #fragments: ReadonlyMap<Buffer, FragmentStorage>;
  readonly #hasProducer: boolean;
  /** What lanes keep of each group since the last wait, oldest first. */
  readonly #begun: (readonly Buffer[])[] = [];

  constructor(fragments: ReadonlyMap<Buffer, FragmentStorage>, hasProducer: boolean) {
    this.#fragments = fragments;
    this.#hasProducer = hasProducer;
  }

  group(p: CPrinter, s: Async): void {
    const { sums, factors } = groupOf(s.body);
    const kept = [...factors].filter((buffer) => this.#fragments.has(buffer) && !sums.has(buffer));
    for (const buffer of kept) this.#settle(p, buffer, false);
    p.line(`${helper(p, "wgmma_fence", "wgmma.fence.sync.aligned")}();`);
    p.stmt(s.body);
    p.line(`${helper(p, "wgmma_commit", "wgmma.commit_group.sync.aligned")}();`);
    this.#begun.push([...sums, ...kept]);
  }

  /** A loop leaves no group in flight (passes/place-waits.ts), so the text before a wait has all that it ends. */
  wait(p: CPrinter, { pending }: Wait): void {
    p.line(`${helper(p, `wgmma_wait_${pending}`, `wgmma.wait_group.sync.aligned ${pending}`)}();`);
    const ended = new Set(this.#begun.splice(0, this.#begun.length - pending).flat());
    for (const buffer of this.#begun.flat()) ended.delete(buffer);
    for (const buffer of ended) this.#settle(p, buffer, !this.#hasProducer);
  }

  #settle(p: CPrinter, buffer: Buffer, isEnd: boolean): void {
    const { fragment, tile } = this.#fragments.get(buffer) as FragmentStorage;
    const count = (bufferSize(buffer) / bufferSize(tile)) * fragment.count;
    p.line(`${settle(p, fragment.register, count, isEnd)}(${p.names.get(buffer)});`);
  }
}
