/**
 * A Program is what a farm builds: one canonical JSON document (RFC 8785, docs/contracts.md) named by the SHA-256 of its bytes.
 * It is a graph with the trace of its schedule, CUDA source, PTX, or a cubin. decodeProgram accepts only the canonical, folded
 * form, and encodeDocument gives an accepted document back byte for byte. So a digest names one program, and a program has one
 * digest.
 */
import {
  backendOf,
  backends,
  canonicalJson,
  digestOf,
  err,
  isTarget,
  type Json,
  jsonDepth,
  maxProgramBytes,
  maxProgramDepth,
  ok,
  type ProgramBytes,
  type ProgramVersion,
  programVersions,
  type Result,
  targetWords,
  textBackends,
  toProgramDigest,
} from "@warpfarm/common";
import type { Intrinsic } from "../ir/intrinsic.ts";
import { clusterTag } from "../ir/stmt.ts";
import { DecodeError, fail, readFields, readList, readName, readObject, readOneOf, readString, show } from "../json/read-json.ts";
import type { Graph } from "../te/graph.ts";
import { type CubinProgram, codeVersion, decodeCubin, decodePtx, type PtxProgram } from "./binary-json.ts";
import { type CudaSourceProgram, decodeCudaSource, sourceVersion } from "./cuda-source-json.ts";
import { decodeGraph, encodeGraph, graphVersion } from "./graph-json.ts";
import { decodeIntrinsic, encodeIntrinsic, intrinsicVersion, maxIntrinsics } from "./intrinsic-json.ts";

export interface TraceStep {
  readonly op: string;
  readonly in: readonly string[];
  readonly args: { readonly [name: string]: Json };
  readonly out: readonly string[];
}

export interface ScheduleProgram {
  readonly version: ProgramVersion;
  readonly kind: "schedule";
  readonly target: string;
  readonly graph: Graph;
  /** The intrinsics that the trace's tensorize steps name, in the order of first use; absent = none. */
  readonly intrinsics?: readonly Intrinsic[];
  readonly trace: readonly TraceStep[];
}

/** Programs that bring their code: text to compile or to assemble, or a cubin. */
export type CodeProgram = CudaSourceProgram | PtxProgram | CubinProgram;
export type Program = ScheduleProgram | CodeProgram;

/** A program that cannot be a document: too large, too deep, or with an invalid target or name. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/**
 * A search writes thousands of programs of one graph, so the graph's part is made once, with its keys in order, which is the
 * fastest to write.
 */
function kept<T extends object>(encode: (value: T) => Json): (value: T) => Json {
  const known = new WeakMap<T, Json>();
  return (value) => {
    let json = known.get(value);
    if (json === undefined) {
      json = JSON.parse(canonicalJson(encode(value))) as Json;
      known.set(value, json);
    }
    return json;
  };
}
const graphJson = kept(encodeGraph);
const intrinsicJson = kept(encodeIntrinsic);

/** Primitives that readers without version 4, or 7, do not know. */
const sinceVersion4: ReadonlySet<string> = new Set(["copy_by", "specialize"]);
const sinceVersion7: ReadonlySet<string> = new Set(["curve"]);

type Said = Pick<ScheduleProgram, "graph" | "trace" | "intrinsics">;
function scheduleVersion({ graph, trace, intrinsics = [] }: Said): ProgramVersion {
  if (trace.some(({ op, args }) => sinceVersion7.has(op) || args.thread === clusterTag)) return 7;
  return intrinsics.some((intrinsic) => intrinsicVersion(intrinsic) === 4) || trace.some(({ op }) => sinceVersion4.has(op))
    ? 4
    : graphVersion(graph);
}

function toJson(program: Program): Json {
  if (program.kind !== "schedule")
    return {
      ...program,
      version: program.kind === "cuda_source" ? sourceVersion(program) : codeVersion(program),
      args: program.args.map((a) => ({ ...a }) as unknown as Json),
      kernels: program.kernels.map((k) => ({ ...k }) as unknown as Json),
    };
  return {
    graph: graphJson(program.graph),
    intrinsics: (program.intrinsics ?? []).map(intrinsicJson),
    kind: "schedule",
    target: program.target,
    trace: program.trace.map((step) => ({ args: step.args, in: step.in, op: step.op, out: step.out })),
    version: scheduleVersion(program),
  };
}

/** Throws ProgramError when the program breaks a limit of the document. */
export function encodeDocument(program: Program): ProgramBytes {
  const json = toJson(program);
  const depth = jsonDepth(json);
  if (depth > maxProgramDepth)
    throw new ProgramError(
      `the program nests ${depth} deep; at most ${maxProgramDepth}: split a long expression over several computes`,
    );
  if (!isTarget(program.target)) throw new ProgramError(`${show(program.target)} is not a target; known are ${targetWords()}`);
  const bytes = new TextEncoder().encode(canonicalJson(json));
  if (bytes.length > maxProgramBytes) throw new ProgramError(`the program is ${bytes.length} bytes; at most ${maxProgramBytes}`);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
}

export const encodeProgram = (
  graph: Graph,
  trace: readonly TraceStep[],
  target: string,
  intrinsics: readonly Intrinsic[] = [],
): ProgramBytes =>
  encodeDocument({ version: scheduleVersion({ graph, trace, intrinsics }), kind: "schedule", target, graph, intrinsics, trace });

const char = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d };

/** Checked before parsing: a megabyte of brackets must not make a parser recurse. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === char.backslash) i++;
      else if (c === char.quote) inString = false;
    } else if (c === char.quote) inString = true;
    else if (c === char.openList || c === char.openObject) {
      if (++depth > maxProgramDepth) fail("program", `nests deeper than ${maxProgramDepth}`);
    } else if (c === char.closeList || c === char.closeObject) depth--;
  }
}

function parse(bytes: Uint8Array): Json {
  if (bytes.length > maxProgramBytes) fail("program", `${bytes.length} bytes; at most ${maxProgramBytes}`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("program", "is not UTF-8");
  }
  checkDepth(text);
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    return fail("program", "is not JSON");
  }
  let canonical: string;
  try {
    canonical = canonicalJson(json);
  } catch (error) {
    return fail("program", error instanceof Error ? error.message : String(error));
  }
  if (canonical !== text)
    fail("program", "is not canonical JSON (RFC 8785: sorted keys, no white space, one form of each number and string)");
  return json;
}

/** Arguments are integers, strings, booleans and null, in lists and objects. A float would not have one spelling everywhere. */
function checkArgs(value: Json, path: string): void {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    fail(path, `${value} is not a whole number; write floats as strings`);
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) checkArgs(item, `${path}[${i}]`);
  } else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) {
      readName(key, path);
      checkArgs(item, `${path}.${key}`);
    }
}

function decodeStep(json: Json, path: string): TraceStep {
  const step = readFields(json, path, ["op", "in", "args", "out"]);
  const args = readObject(step.args, `${path}.args`);
  checkArgs(args, `${path}.args`);
  return {
    op: readName(step.op, `${path}.op`),
    in: readList(step.in, `${path}.in`, readName),
    args,
    out: readList(step.out, `${path}.out`, readName),
  };
}

function decodeSchedule(json: Json, target: string): ScheduleProgram {
  const doc = readFields(json, "program", ["version", "kind", "target", "graph", "intrinsics", "trace"]);
  const graph = decodeGraph(doc.graph, "graph");
  const intrinsics = readList(doc.intrinsics, "intrinsics", decodeIntrinsic, maxIntrinsics);
  if (intrinsics.length > 0 && !backends.of(backendOf(target)).takesText)
    fail(
      "intrinsics",
      `their texts are PTX, but the target is ${show(target)}; intrinsics are for ${textBackends().join(" and ")}`,
    );
  const trace = readList(doc.trace, "trace", decodeStep);
  checkUsed(intrinsics, trace);
  return { version: scheduleVersion({ graph, trace, intrinsics }), kind: "schedule", target, graph, intrinsics, trace };
}

/** A document lists each intrinsic of its trace once, in the order of first use: it has one form. */
function checkUsed(intrinsics: readonly Intrinsic[], trace: readonly TraceStep[]): void {
  const used = new Set(trace.flatMap((step) => (step.op === "tensorize" ? [step.args.intrinsic] : [])));
  const listed = intrinsics.map((intrinsic) => intrinsic.name);
  if (listed.length !== used.size || [...used].some((name, i) => name !== listed[i]))
    fail("intrinsics", `are ${show(listed)}; the trace's tensorize steps name ${show([...used])}, in that order`);
}

const decoders = { schedule: decodeSchedule, cuda_source: decodeCudaSource, ptx: decodePtx, cubin: decodeCubin };

function decode(bytes: Uint8Array): Program {
  const json = parse(bytes);
  const head = readObject(json, "program");
  const version = programVersions.find((one) => one === head.version);
  if (version === undefined) fail("version", `${show(head.version)}; versions ${programVersions.join(", ")} are read here`);
  const kind = readOneOf(head.kind, "kind", ["schedule", "cuda_source", "ptx", "cubin"]);
  const target = readString(head.target, "target");
  if (!isTarget(target)) fail("target", `${show(target)} is not a target; known are ${targetWords()}`);
  const program = decoders[kind](json, target);
  if (program.version !== version) fail("version", `${version}; what the program says needs version ${program.version}`);
  return program;
}

/** An error's message names the path in the document. */
export function decodeProgram(bytes: Uint8Array): Result<Program, { readonly message: string }> {
  try {
    return ok(decode(bytes));
  } catch (error) {
    if (error instanceof DecodeError) return err({ message: error.message });
    throw error;
  }
}
