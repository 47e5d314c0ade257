/** Build targets in TVM's words and back, so TVM's tools read our log lines and we read theirs. */
import { backendOf, backends, isTarget, type Json, keyOf, shortNameOf } from "@warpfarm/common";
import type { RecordDevice } from "../tuning-record.ts";

/** `cuda/sm_90` -> TVM 0.17's canonical text; CPU levels become -mcpu. */
export function autotvmTarget(target: string): string {
  const backend = backendOf(target);
  return backends.of(backend).tvm.write(target.slice(backend.length + 1));
}

/** The build target that TVM's text means; undefined when it names no architecture that Warpfarm knows. */
export function targetOfAutotvm(text: string): string | undefined {
  const { first, option } = wordsOf(text);
  return backends.names.map((name) => `${name}/${backends.of(name).tvm.read(first, option)}`).find((target) => isTarget(target));
}

function wordsOf(text: string) {
  const words = text.trim().split(/\s+/);
  const option = (name: string) => words.find((w) => w.startsWith(`-${name}=`))?.slice(name.length + 2);
  return { first: words[0] ?? "", option };
}

/** A column holds 256 characters. */
const longestName = 256;

/**
 * What TVM's target says of a record: the build target, and the kind of device, so that no device answers for another. A target
 * without an architecture that Warpfarm knows names its device by its whole text; one with an architecture by its model, if it
 * has one. It is text, or an object of TVM's target attributes, which newer releases write as JSON.
 */
export function ofTarget(written: Json): { readonly target: string; readonly device: RecordDevice } {
  const text = textOfTarget(written).trim().replaceAll(/\s+/g, " ");
  const target = targetOfAutotvm(text) ?? "";
  const { option } = wordsOf(text);
  const model = option("model") ?? (target === "cpu/arm64" ? (option("mcpu") ?? option("device")) : undefined);
  const name = target === "" ? text : model === "unknown" ? "" : (model ?? "");
  const short = `${name.slice(0, longestName - 40)} ... ${shortNameOf(name)}`;
  return { target, device: { key: target === "" ? "" : keyOf(target), name: name.length > longestName ? short : name } };
}

function textOfTarget(target: Json): string {
  if (typeof target === "string") {
    if (!target.trimStart().startsWith("{")) return target;
    try {
      return textOfTarget(JSON.parse(target) as Json);
    } catch {
      return target;
    }
  }
  if (typeof target !== "object" || target === null || Array.isArray(target)) return "";
  const { kind, host: _, tag: __, ...options } = target as { readonly [name: string]: Json };
  const words = Object.entries(options).map(([key, value]) => `-${key}=${Array.isArray(value) ? value.join() : String(value)}`);
  return [String(kind ?? ""), ...words.sort()].join(" ");
}
