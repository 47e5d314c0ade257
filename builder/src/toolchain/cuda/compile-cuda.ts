/** What the two CUDA compilers have in common: preparing the text, and reading the answer. */
import { defined, err, ok, type Result } from "@warpfarm/common";
import type { Compiled, CompileJob } from "../toolchain.ts";
import { notesOf, readPtxasReport, withoutReport } from "./ptxas-report.ts";
import { checkText, cleanLog } from "./user-text.ts";

export interface CudaText {
  readonly architecture: string;
  readonly fileName: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  readonly expressions: readonly string[];
}

/** The error is the refusal of a file that the text may not read. */
export function cudaTextOf({ text, target, source, clientText }: CompileJob): Result<CudaText, Extract<Compiled, { ok: false }>> {
  const architecture = target.slice("cuda/".length);
  if (source === undefined)
    return ok({ architecture, fileName: "kernel.cu", text: text.text, headers: {}, flags: [], expressions: [] });
  const { files, defines, flags, kernels } = source;
  const own = new Set(Object.keys(files));
  if (clientText !== "all" && clientText !== "checked") return err(noSandbox);
  // The directives in thousands of headers are not examined. Bundles need a compiler that sees no other files.
  if (clientText === "checked" && source.bundles !== undefined) return err(noSandbox);
  if (clientText === "checked")
    for (const [name, content] of Object.entries(files)) {
      const checked = checkText(name, content, own);
      if (!checked.ok) return err({ ok: false, ...checked.error, log: "" });
    }
  const [fileName = "kernel.cu", content = ""] = Object.entries(files).find(([name]) => name.endsWith(".cu")) ?? [];
  return ok({
    architecture,
    fileName,
    text: content,
    headers: Object.fromEntries(Object.entries(files).filter(([name]) => name !== fileName)),
    flags: [...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`), ...flags],
    expressions: [...new Set(kernels.map(({ entry }) => entry).filter((entry) => !/^\w+$/.test(entry)))],
  });
}

export const asBundles = (includes: readonly string[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(includes.map((folder) => [folder, "<bundle>/"]));

/** A compiler takes the last of several flags, but refuses two standards. */
export const withStandard = (base: readonly string[], own: readonly string[]): readonly string[] =>
  own.some((flag) => flag.startsWith("--std=")) ? base.filter((flag) => !/^--?std=/.test(flag)) : base;

const noSandboxWords =
  "this builder has no sandbox for compilers and does not compile text that a client brought; it needs Linux with Landlock, or bubblewrap (warpfarm doctor says what is missing) [source.sandbox]";
export const noSandbox: Extract<Compiled, { ok: false }> = {
  ok: false,
  rule: "source.sandbox",
  message: noSandboxWords,
  log: "",
};

interface RawAnswer {
  /** Absent when the text was refused. */
  readonly cubin?: Uint8Array;
  readonly log: string;
  readonly symbols?: Readonly<Record<string, string>>;
}

/** `folders`: the names of known folders in logs. */
export function compiledOf(
  { cubin, log: raw, symbols }: RawAnswer,
  folders: Readonly<Record<string, string>>,
  { clientText, broughtByClient }: Pick<CompileJob, "clientText"> & { readonly broughtByClient: boolean },
): Compiled {
  if (cubin !== undefined)
    return {
      ok: true,
      code: cubin,
      resources: readPtxasReport(raw),
      notes: notesOf(raw),
      ...defined({ symbols }),
    };
  const log = cleanLog(withoutReport(raw), folders, broughtByClient && clientText !== "all");
  const lines = log.split("\n");
  const first = lines.find((line) => /error|fatal/i.test(line)) ?? lines[0] ?? "";
  return { ok: false, rule: ruleOf(log), message: first.trim().slice(0, 1024) || "the compiler gave no reason", log };
}

/** The stage that refused. Lack of resources has rules of its own, because searches meet it often. */
function ruleOf(log: string): string {
  if (/uses too much (?:shared|local|parameter)|too many (?:resources|registers)/.test(log)) return "ptxas.resources";
  return /^\s*ptxas /m.test(log) ? "ptxas" : "front_end";
}

/** Targets by capabilities. From 9.0 on each has a second name for features of this capability only. */
export const targetsOf = (capabilities: readonly number[]): readonly string[] =>
  [...new Set(capabilities)]
    .filter((sm) => sm >= 70)
    .sort((a, b) => a - b)
    .flatMap((sm) => (sm >= 90 ? [`cuda/sm_${sm}`, `cuda/sm_${sm}a`] : [`cuda/sm_${sm}`]));
