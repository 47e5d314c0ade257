import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { badInput, type Digest, digestOf, toDigest, unreadable } from "@warpfarm/common";
import { type Reach, reached } from "./reach.ts";
import type { SpecTensor } from "./spec.ts";
import { readNpy, readSafetensors, type StoredTensor } from "./tensor-file.ts";

export interface TensorValues extends StoredTensor {
  readonly word: string;
  readonly digest: Digest;
}

export type ValuesByName = Readonly<Record<string, TensorValues>>;

const mostBytes = 64 << 20;

/** Reads files of tensors, each once. Throws FarmError that names the field, the file and the tensor. */
class TensorFiles {
  readonly #reach: Reach;
  readonly #read = new Map<string, Promise<Uint8Array>>();
  constructor(reach: Reach) {
    this.#reach = reach;
  }

  async values(field: string, word: string, called: string): Promise<TensorValues> {
    const refuse = (why: string) => badInput(`${field}: ${why}`);
    if (!/\.(?:npy|safetensors)$/.test(word)) throw refuse(`${word} is not a file of tensors; .npy and .safetensors are read`);
    const path = await reached(this.#reach, word, refuse);
    const reading = this.#read.get(path) ?? readFile(path);
    this.#read.set(path, reading);
    const bytes = await reading.catch(unreadable(`${field}: ${word}`));
    const found = word.endsWith(".npy") ? readNpy(bytes) : tensorIn(bytes, called);
    if (!found.ok) throw refuse(`${word} ${found.error}`);
    const { length } = found.value.bytes;
    if (length > mostBytes) throw refuse(`${word} has ${length} bytes of elements; a tensor has at most ${mostBytes} on a farm`);
    return { ...found.value, word, digest: toDigest(digestOf(found.value.bytes)) };
  }
}

function tensorIn(bytes: Uint8Array, called: string) {
  const tensors = readSafetensors(bytes);
  if (!tensors.ok) return tensors;
  const found = tensors.value.get(called);
  if (found === undefined)
    return { ok: false, error: `has no tensor ${called}; it has ${[...tensors.value.keys()].join(", ")}` } as const;
  return found.ok ? found : ({ ok: false, error: `has a tensor ${called} that ${found.error}` } as const);
}

export async function inputValues(args: readonly Pick<SpecTensor, "name" | "fill">[], reach: Reach): Promise<ValuesByName> {
  const files = new TensorFiles(reach);
  const found: Record<string, TensorValues> = {};
  for (const { name, fill } of args) {
    if (typeof fill !== "object" || !("file" in fill)) continue;
    const { file, tensor = name } = fill;
    found[name] = await files.values(`args.${name}.fill`, file, tensor);
  }
  return found;
}

/** The reference outputs: from one file, or from one file each. */
export async function outputValues(
  said: string | Readonly<Record<string, string>>,
  outputs: readonly string[],
  reach: Reach,
): Promise<ValuesByName> {
  const refuse = (why: string) => badInput(`reference.file: ${why}`);
  const files = new TensorFiles(reach);
  const [only = ""] = outputs;
  if (typeof said === "string" && !said.endsWith(".safetensors") && outputs.length > 1)
    throw refuse(
      `${basename(said)} holds one tensor, and the kernel has the outputs ${outputs.join(", ")}; name a file for each: {file: {${only}: ./${only}.npy, ...}}`,
    );
  const wordOf = (name: string): string | undefined =>
    typeof said === "string" ? said : Object.hasOwn(said, name) ? said[name] : undefined;
  const unknown = typeof said === "string" ? undefined : Object.keys(said).find((name) => !outputs.includes(name));
  if (unknown !== undefined) throw refuse(`${unknown} is not an output of the kernel; they are ${outputs.join(", ")}`);
  const found: Record<string, TensorValues> = {};
  for (const name of outputs) {
    const word = wordOf(name);
    if (word === undefined) throw refuse(`the output ${name} has no values; name a file for it`);
    found[name] = await files.values("reference.file", word, name);
  }
  return found;
}
