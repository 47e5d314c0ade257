/**
 * Programs with their own code: PTX, which a builder assembles, and cubins, which a builder examines. Their kernels are launched
 * like those of CUDA source.
 */
import { backendOf, backends, type Json, textBackends } from "@warpfarm/common";
import { fail, readFields, readString, show } from "../json/read-json.ts";
import { type Launches, launchVersion, ptxasFlag, ptxasFlagWords, readFlags, readLaunches, readSymbol } from "./launch-json.ts";

export interface PtxProgram extends Launches {
  readonly version: 4 | 6 | 7;
  readonly kind: "ptx";
  readonly target: string;
  readonly text: string;
  readonly flags: readonly string[];
}

export interface CubinProgram extends Launches {
  readonly version: 4 | 6 | 7;
  readonly kind: "cubin";
  readonly target: string;
  readonly code: string;
}

/** The lowest version that can express it. */
export const codeVersion = (launches: Pick<Launches, "args" | "kernels">): 4 | 6 | 7 => launchVersion(launches) ?? 4;

function checkTarget(target: string, what: string): void {
  if (!backends.of(backendOf(target)).takesText)
    fail("target", `${show(target)}; ${what} accepted for ${textBackends().join(" and ")} targets only`);
}

export function decodePtx(json: Json, target: string): PtxProgram {
  const doc = readFields(json, "program", ["version", "kind", "target", "text", "kernels", "flags", "args"], ["constants"]);
  checkTarget(target, "PTX is");
  const text = readString(doc.text, "text");
  const flags = readFlags(doc.flags, (flag) => ptxasFlag.test(flag), ptxasFlagWords);
  const launches = readLaunches(doc, readSymbol);
  return { version: codeVersion(launches), kind: "ptx", target, text, flags, ...launches };
}

export function decodeCubin(json: Json, target: string): CubinProgram {
  const doc = readFields(json, "program", ["version", "kind", "target", "code", "kernels", "args"], ["constants"]);
  checkTarget(target, "cubins are");
  const code = readString(doc.code, "code");
  if (Buffer.from(code, "base64").toString("base64") !== code) fail("code", "is not base64");
  const launches = readLaunches(doc, readSymbol);
  return { version: codeVersion(launches), kind: "cubin", target, code, ...launches };
}
