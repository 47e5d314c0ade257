/**
 * Reads a cubin, an ELF file of NVIDIA: kernels with the sizes of their parameters, their registers and memory, the target of the
 * code, and the functions that it calls. CUDA 11 to 13. Sizes of files and sections are checked before use, because the bytes may
 * come from a client.
 */
import { defined, err, ok, type Result } from "@warpfarm/common";
import { readsGridBarrier } from "./grid-barrier.ts";

interface CubinKernel {
  readonly name: string;
  /** Bytes of each parameter, in order; absent where the file does not say. */
  readonly parameters?: readonly number[];
  readonly registers: number;
  readonly staticSharedBytes: number;
  readonly launch: CubinLaunch;
}

type Triple = readonly [number, number, number];

export interface CubinLaunch {
  /** `__launch_bounds__`, `.maxntid`: the most threads of a block. */
  readonly mostThreads?: number;
  /** `.reqntid`: the shape of a block. */
  readonly block?: Triple;
  readonly cluster?: Triple;
  readonly mostClusterBlocks?: number;
  readonly isGridWide: boolean;
}

export interface Cubin {
  /** Compute capability times ten. */
  readonly capability: number;
  readonly kernels: readonly CubinKernel[];
  readonly constants: ReadonlyMap<string, number>;
  readonly functions: readonly string[];
}

const machineCuda = 190;
const executable = 2;
const symbolObject = 1;
const symbolFunction = 2;
/** The bank of `__constant__` variables; other banks are the compiler's. */
const constantMemory = ".nv.constant3";
/** A flag in a symbol's `other`: a kernel, which a host may launch. */
const entryFlag = 0x10;
const type = { symbols: 2, nothing: 8 };
/** Attributes of `.nv.info` sections. The value follows (format 4) or takes the place of its length. */
const attribute = {
  mostThreads: 0x05,
  block: 0x10,
  parameter: 0x17,
  registers: 0x2f,
  cluster: 0x3d,
  mostClusterBlocks: 0x3f,
};
const sizedFormat = 4;
/** The system's part of a block's shared memory. Sections include it where the file says so. */
const reservedShared = 1024;
const mostSections = 65_536;

interface Section {
  readonly name: string;
  readonly type: number;
  readonly size: number;
  readonly link: number;
  readonly bytes: DataView;
}

/** The error is a sentence for people. */
export function readCubin(code: Uint8Array): Result<Cubin, string> {
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  if (code.length < 64 || view.getUint32(0) !== 0x7f454c46) return err("it is not an ELF file");
  if (view.getUint8(4) !== 2 || view.getUint8(5) !== 1) return err("it is not an ELF file of 64 bits, little endian");
  const machine = view.getUint16(18, true);
  if (machine !== machineCuda) return err(`it is an ELF file for machine ${machine}; cubins are for ${machineCuda}`);
  if (view.getUint16(16, true) !== executable)
    return err("it is not linked (made with -rdc=true or ptxas -c); a cubin that can be loaded is needed");
  try {
    checked(Number(view.getBigUint64(32, true)), view.getUint16(54, true) * view.getUint16(56, true), code.length);
    const sections = sectionsOf(view);
    const symbols = sections.filter((each) => each.type === type.symbols).flatMap((table) => symbolsOf(table, sections));
    const functions = symbols.filter(({ kind }) => kind === symbolFunction);
    const registers = registersOf(sections);
    const reserved = sections.some((each) => each.name === ".nv.shared.reserved.0") ? reservedShared : 0;
    const capability = capabilityOf(view);
    const kernels = functions
      .filter(({ other, section }) => (other & entryFlag) !== 0 && section !== 0)
      .map(({ name, at }): CubinKernel => {
        const info = sections.find((each) => each.name === `.nv.info.${name}`);
        const text = sections.find((each) => each.name === `.text.${name}`);
        return {
          name,
          ...defined({ parameters: parametersOf(info) }),
          launch: { ...launchOf(info), isGridWide: text !== undefined && readsGridBarrier(text.bytes, capability) },
          registers: registers.get(at) ?? 0,
          staticSharedBytes: Math.max(0, (sections.find((each) => each.name === `.nv.shared.${name}`)?.size ?? 0) - reserved),
        };
      });
    const constants = new Map(
      symbols
        .filter(({ kind, section }) => kind === symbolObject && sections[section]?.name === constantMemory)
        .map(({ name, size }) => [name, size]),
    );
    return ok({ capability, kernels, constants, functions: functions.map(({ name }) => name) });
  } catch (error) {
    if (error instanceof RangeError) return err("its sections lie outside of the file, which is cut short or damaged");
    throw error;
  }
}

/** CUDA 13 moved the capability within the flags. */
function capabilityOf(view: DataView): number {
  const flags = view.getUint32(48, true);
  return view.getUint8(8) >= 8 ? (flags >>> 8) & 0xff : flags & 0xff;
}

function sectionsOf(view: DataView): readonly Section[] {
  const start = Number(view.getBigUint64(40, true));
  const [entry, count, names] = [view.getUint16(58, true), view.getUint16(60, true), view.getUint16(62, true)];
  if (entry < 64 || count > mostSections) throw new RangeError("sections");
  const raw = Array.from({ length: count }, (_, i) => {
    const at = start + i * entry;
    const kind = view.getUint32(at + 4, true);
    const [offset, size] = [Number(view.getBigUint64(at + 24, true)), Number(view.getBigUint64(at + 32, true))];
    const bytes = kind === type.nothing ? slice(view, 0, 0) : slice(view, offset, size);
    return { nameAt: view.getUint32(at, true), type: kind, size, link: view.getUint32(at + 40, true), bytes };
  });
  const texts = raw[names]?.bytes ?? slice(view, 0, 0);
  return raw.map(({ nameAt, ...section }) => ({ ...section, name: textAt(texts, nameAt) }));
}

/** Throws RangeError for what lies outside. */
const slice = (view: DataView, offset: number, size: number): DataView =>
  new DataView(view.buffer, view.byteOffset + checked(offset, size, view.byteLength), size);

function checked(offset: number, size: number, all: number): number {
  if (!(offset >= 0 && size >= 0 && offset + size <= all)) throw new RangeError("outside");
  return offset;
}

function textAt(view: DataView, at: number): string {
  let end = at;
  while (view.getUint8(end) !== 0) end++;
  return Buffer.from(view.buffer, view.byteOffset + at, end - at).toString("latin1");
}

interface Symbol {
  readonly at: number;
  readonly name: string;
  readonly kind: number;
  readonly other: number;
  /** 0: requested, and not here. */
  readonly section: number;
  readonly size: number;
}

function symbolsOf({ bytes, link }: Section, sections: readonly Section[]): readonly Symbol[] {
  const texts = sections[link]?.bytes;
  if (texts === undefined) throw new RangeError("names");
  return Array.from({ length: Math.floor(bytes.byteLength / 24) }, (_, at) => ({
    at,
    name: textAt(texts, bytes.getUint32(at * 24, true)),
    kind: bytes.getUint8(at * 24 + 4) & 0xf,
    other: bytes.getUint8(at * 24 + 5),
    section: bytes.getUint16(at * 24 + 6, true),
    size: Number(bytes.getBigUint64(at * 24 + 16, true)),
  }));
}

function* attributesOf({ bytes }: Section): Generator<{ readonly name: number; readonly value: DataView }> {
  for (let at = 0; at + 4 <= bytes.byteLength; ) {
    const size = bytes.getUint8(at) === sizedFormat ? bytes.getUint16(at + 2, true) : 0;
    yield { name: bytes.getUint8(at + 1), value: slice(bytes, at + 4, size) };
    at += 4 + size;
  }
}

function registersOf(sections: readonly Section[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const info = sections.find((each) => each.name === ".nv.info");
  for (const { name, value } of info ? attributesOf(info) : [])
    if (name === attribute.registers) found.set(value.getUint32(0, true), value.getUint32(4, true));
  return found;
}

function parametersOf(info: Section | undefined): readonly number[] | undefined {
  if (info === undefined) return undefined;
  const sizes: number[] = [];
  for (const { name, value } of attributesOf(info))
    if (name === attribute.parameter) sizes[value.getUint16(4, true)] = value.getUint32(8, true) >>> 18;
  return Array.from(sizes, (size) => size ?? 0);
}

function launchOf(info: Section | undefined): Omit<CubinLaunch, "isGridWide"> {
  const found = new Map<number, Triple>();
  for (const { name, value } of info ? attributesOf(info) : []) {
    const words = [0, 4, 8].map((at) => (at + 4 <= value.byteLength ? value.getUint32(at, true) : 1));
    if (
      name === attribute.mostThreads ||
      name === attribute.block ||
      name === attribute.cluster ||
      name === attribute.mostClusterBlocks
    )
      found.set(name, words as unknown as Triple);
  }
  return defined({
    mostThreads: found.get(attribute.mostThreads)?.reduce((product, extent) => product * extent, 1),
    block: found.get(attribute.block),
    cluster: found.get(attribute.cluster),
    mostClusterBlocks: found.get(attribute.mostClusterBlocks)?.[0],
  });
}
