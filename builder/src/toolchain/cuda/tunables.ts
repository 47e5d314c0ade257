/**
 * Whether the tunables of a client's kernel have an effect. Its default config says what other values of each change, and the
 * compiler here says whether they change the text, before anything is measured.
 */
import { type ManifestNote, ok, type Refusal, type Result } from "@warpfarm/common";
import type { CudaSourceProgram } from "@warpfarm/compiler";
import type { CompileJob, Expanded, Toolchain } from "../toolchain.ts";

const rule = "source.tunables";

/** Notes on tunables without effect; or the refusal of a text that defines one itself, or whose tunables all have none. */
export async function lookAtTunables(
  toolchain: Pick<Toolchain, "expand">,
  job: CompileJob,
): Promise<Result<readonly ManifestNote[], Refusal>> {
  const { source } = job;
  if (source?.tunables === undefined || toolchain.expand === undefined) return ok([]);
  const expand = (defines: CudaSourceProgram["defines"]) =>
    (toolchain.expand as NonNullable<Toolchain["expand"]>)({ ...job, source: { ...source, defines } });
  const refuse = (why: string) => ({ ok: false, error: { rule, message: `${why} [${rule}]` } }) as const;
  const standard = await expand(source.defines);
  // The compiler will say what is wrong with it.
  if (standard.digest === undefined) return ok([]);
  const idle: string[] = [];
  let effects = 0;
  for (const [name, { launch, defines }] of Object.entries(source.tunables)) {
    if (await changes(standard, defines, (other) => expand({ ...source.defines, ...other }))) {
      effects++;
      continue;
    }
    const place = Object.hasOwn(source.defines, name) ? await standard.definitionOf(name) : undefined;
    if (place !== undefined)
      return refuse(
        `${place} defines ${name}, which is a tunable: its values never reach the text; put #ifndef ${name} and #endif around the definition`,
      );
    if (launch) effects++;
    else idle.push(name);
  }
  const one = idle.length === 1;
  const words = `${one ? "the tunable" : "the tunables"} ${idle.join(", ")} ${one ? "changes" : "change"} neither the text nor the launch`;
  if (idle.length > 0 && effects === 0)
    return refuse(`${words}: all configs are one program; use ${one ? "it" : "them"} in the text or in the launch`);
  return ok(idle.length === 0 ? [] : [{ rule, message: words }]);
}

async function changes(
  standard: Expanded,
  defines: readonly CudaSourceProgram["defines"][],
  expand: (other: CudaSourceProgram["defines"]) => Promise<Expanded>,
): Promise<boolean> {
  for (const other of defines) if ((await expand(other)).digest !== standard.digest) return true;
  return false;
}

/** The place where files define a macro, unless they test first whether it is there. */
export function definitionIn(files: Readonly<Record<string, string>>, macro: string): string | undefined {
  const asks = new RegExp(`#[ \\t]*ifn?def[ \\t]+${macro}\\b|\\bdefined[ \\t]*\\(?[ \\t]*${macro}\\b`);
  if (Object.values(files).some((text) => asks.test(text))) return undefined;
  const directive = new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${macro}\\b`, "m");
  for (const [file, text] of Object.entries(files)) {
    const at = directive.exec(text)?.index;
    if (at !== undefined) return `${file}:${text.slice(0, at).split("\n").length}`;
  }
  return undefined;
}

/** The last definition of the macro in a preprocessor's output with `-dD`. Line markers are `# 12 "file"`. */
export function definitionAmong(output: string, macro: string): string | undefined {
  const directive = new RegExp(`^#define ${macro}\\b`);
  let [file, line] = ["", 0];
  let place: string | undefined;
  for (const text of output.split("\n")) {
    const marker = /^# (\d+) "([^"]*)"/.exec(text);
    if (marker) [file, line] = [marker[2] as string, Number(marker[1]) - 1];
    else {
      line++;
      if (directive.test(text) && !file.startsWith("<") && line > 0) place = `${file}:${line}`;
    }
  }
  return place;
}
