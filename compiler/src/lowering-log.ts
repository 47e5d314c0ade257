/**
 * What one lowering did, for people: the debug ladder of WARPFARM_DEBUG, WARPFARM_DUMP and WARPFARM_CHECK. A LoweringLog collects
 * lines and files while compileProgram runs; it writes nothing itself, because the compiler does no I/O and a builder lowers in a
 * child process.
 *
 *   level 2  milliseconds of each step and pass
 *   level 3  the trace, a step a line
 *   level 4  the device text
 *   level 5  the function after each pass that changed it, and the arithmetic rules that fired
 *   dump     a file for each pass: 000_nest.tir, 001_inline-…; a pass that changed nothing says so in one line
 *   check    the rules of the dialect after each pass; a broken one is a fault of the compiler and ends the lowering
 */
import { InternalError } from "@warpfarm/common";
import { observeRules } from "./arith/rules.ts";
import type { PrimFunc } from "./ir/prim-func.ts";
import { printFunc } from "./ir/print.ts";
import type { PassHooks } from "./lower/pass.ts";
import { verifyFunc } from "./verify/func.ts";

export interface LoweringLogOptions {
  /** 0 to 5; levels 0 and 1 say nothing of a lowering. */
  readonly level: number;
  readonly dump: boolean;
  readonly check: boolean;
}

export interface LoweringFile {
  /** `004_flatten-buffers.tir`, `019_text.cu`: they sort in the order of the passes. */
  readonly name: string;
  readonly text: string;
}

export const quietLowering: LoweringLogOptions = { level: 0, dump: false, check: false };

export class LoweringLog {
  readonly lines: string[] = [];
  readonly files: LoweringFile[] = [];
  readonly #options: LoweringLogOptions;
  readonly #now: () => number;
  #passStart = 0;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(options: LoweringLogOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /** Undefined when nothing is requested, so that a lowering costs nothing more. */
  static of(options: LoweringLogOptions, now: () => number): LoweringLog | undefined {
    return options.level >= 2 || options.dump || options.check ? new LoweringLog(options, now) : undefined;
  }

  step<T>(name: string, run: () => T): T {
    const start = this.#now();
    const rules = new Map<string, number>();
    const value = this.#options.level < 5 ? run() : observeRules((rule) => rules.set(rule, (rules.get(rule) ?? 0) + 1), run);
    this.#say(2, `${name}: ${(this.#now() - start).toFixed(2)} ms`);
    if (rules.size > 0) this.#say(5, `rules fired in ${name}: ${[...rules].map(([rule, n]) => `${rule} ${n}`).join(", ")}`);
    return value;
  }

  trace(steps: readonly string[]): void {
    this.#say(3, ["trace:", ...steps].join("\n"));
  }

  nest(func: PrimFunc): void {
    this.#show("nest", func, true);
  }

  text(extension: string, text: string): void {
    this.#say(4, text);
    this.#write("text", extension, text);
  }

  readonly hooks: PassHooks = {
    before: () => {
      this.#passStart = this.#now();
    },
    after: (pass, func, changed) => {
      const ms = this.#now() - this.#passStart;
      this.#say(2, `pass ${pass}: ${ms.toFixed(2)} ms${changed ? "" : " (unchanged)"}`);
      this.#show(pass, func, changed);
    },
  };

  #show(name: string, func: PrimFunc, changed: boolean): void {
    const wanted = this.#options.dump || this.#options.level >= 5;
    const text = !wanted ? "" : changed ? printFunc(func) : "(unchanged)\n";
    if (changed) this.#say(5, `after ${name}:\n${text}`);
    this.#write(name, "tir", text);
    if (!this.#options.check || !changed) return;
    const [broken] = verifyFunc(func);
    if (broken)
      throw new InternalError(`after ${name} the function is not legal ${func.dialect}: ${broken.message} [${broken.rule}]`);
  }

  #say(level: number, text: string): void {
    if (this.#options.level >= level) this.lines.push(...text.trimEnd().split("\n"));
  }

  #write(name: string, ending: string, text: string): void {
    if (!this.#options.dump) return;
    this.files.push({ name: `${String(this.files.length).padStart(3, "0")}_${name}.${ending}`, text });
  }
}
