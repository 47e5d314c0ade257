/**
 * Counts the instructions of kernels in nvdisasm's listing of a cubin. Half a second of a processor, whatever the kernel's size,
 * so a builder does it only where its operator asks for it.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  err,
  type InstructionClass,
  type InstructionCounts,
  instructionClasses,
  instructionsNote,
  type ManifestNote,
  ok,
  type Result,
} from "@warpfarm/common";
import { run } from "../collect.ts";
import { type ToolkitPlaces, toolkitRoots } from "./find-libraries.ts";

/** By the operation's name up to its first dot; the first that fits. */
const classes: readonly (readonly [RegExp, InstructionClass])[] = [
  [/^(?:FFMA|HFMA|DFMA)/, "fma"],
  [/MMA$/, "tensor"],
  [/^(?:LDS|STS|LDSM|STSM|ATOMS|REDS)$/, "shared"],
  [/^(?:LDG|STG|LD|ST|LDGSTS|ATOM|ATOMG|RED|REDG|UBLK\w+|UTMA(?:LDG|STG|REDG|PF)|LDTM|STTM)$/, "global"],
  [/^(?:BAR|DEPBAR|LDGDEPBAR|MEMBAR|FENCE|SYNCS|WARPSYNC|WARPGROUP\w*|UCGABAR\w*|UTMACMDFLUSH|ACQBULK|CCTL)$/, "barrier"],
  [/^(?:BRA|BRX|BRXU|BSSY|BSYNC|BREAK|CALL|EXIT|JMP|JMX|RET|YIELD)$/, "branch"],
];
const classOf = (name: string): InstructionClass => classes.find(([fits]) => fits.test(name))?.[1] ?? "other";

/** `        /*0120*\/              @!P0 BRA ...`; what only fills up the text's last lines does not count. */
const instruction = /^\s*\/\*[0-9a-f]+\*\/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9]*)/;
/** A product with zero: how a constant is set. */
const setsConstant = /, -RZ, RZ,/;
const section = /^\s*\.section\s+([^,\s]+)/;

/** Of the named kernels together; undefined when the listing has none of their instructions. */
export function countInstructions(listing: string, kernels: readonly string[]): InstructionCounts | undefined {
  const texts = new Set(kernels.map((name) => `.text.${name}`));
  const counts = Object.fromEntries(instructionClasses.map((name) => [name, 0])) as Record<InstructionClass, number>;
  let counted = false;
  let inKernel = false;
  for (const line of listing.split("\n")) {
    const name = section.exec(line)?.[1];
    if (name !== undefined) inKernel = texts.has(name);
    const operation = inKernel ? instruction.exec(line)?.[1] : undefined;
    if (operation === undefined || operation === "NOP") continue;
    counts[setsConstant.test(line) ? "other" : classOf(operation)]++;
    counted = true;
  }
  return counted ? counts : undefined;
}

export interface CountPlace {
  readonly nvdisasm: string;
  /** Private to the build. */
  readonly directory: string;
  /** After which the count is given up. */
  readonly wallMs: number;
}

const mostCodeBytes = 2 ** 20;
const listingBytes = 64 * 2 ** 20;

/** One note: the counts, or why there are none. Counting is never a reason for a build to fail. */
export async function countedNote(
  code: Uint8Array,
  kernels: readonly string[],
  { nvdisasm, directory, wallMs }: CountPlace,
): Promise<ManifestNote> {
  const none = (why: string): ManifestNote => ({
    rule: "instructions.none",
    message: `instructions are not counted: ${why}`.slice(0, 1024),
  });
  if (code.length > mostCodeBytes) return none(`the code has ${code.length} bytes, more than ${mostCodeBytes}`);
  const file = "counted.cubin";
  try {
    await writeFile(join(directory, file), code);
    const { code: status, output } = await run(nvdisasm, ["-c", "-ndf", file], {
      directory,
      searchPath: "",
      logBytes: listingBytes,
      wallMs,
    });
    if (status === null) return none(`nvdisasm was not done after ${Math.round(wallMs)} ms`);
    if (status !== 0)
      return none(output.trim().split("\n")[0]?.replaceAll(`${directory}/`, "") ?? `nvdisasm exited with ${status}`);
    const counts = countInstructions(output, kernels);
    return counts === undefined ? none("nvdisasm lists none of the kernels") : instructionsNote(counts);
  } catch (error) {
    return none((error as Error).message.replaceAll(`${directory}/`, ""));
  }
}

/** The error is a sentence for people. */
export async function findNvdisasm(path: string, places: ToolkitPlaces, directory: string): Promise<Result<string, string>> {
  const inPath = path.split(":").map((folder) => join(folder || ".", "nvdisasm"));
  for (const file of [...inPath, ...toolkitRoots(places).map((root) => join(root, "bin/nvdisasm"))]) {
    const asked = await run(file, ["--version"], { directory, searchPath: path, logBytes: 4096 }).catch(() => undefined);
    if (asked?.code === 0) return ok(file);
  }
  return err(
    "no nvdisasm in PATH or in the usual folders of the CUDA toolkit, which --instructions needs: install the toolkit's package cuda-nvdisasm, or leave the flag away",
  );
}
