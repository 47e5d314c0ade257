/**
 * The channel of a host and its child: a socket whose bytes are frames, each a length of 32 bits (little-endian) and so many
 * bytes of JSON. A child may run foreign native code, so the host trusts no frame before it was checked. JSON lacks bytes and
 * some numbers: these are objects of one field, {"$bytes": base64} and {"$number": "NaN"}.
 */
import { readSync, writeSync } from "node:fs";
import { firstLine } from "../words.ts";

const lengthBytes = 4;

/** The bytes are not what a child of ours sends. */
export class FrameError extends Error {}

function toJson(this: unknown, key: string, plain: unknown): unknown {
  // JSON.stringify has called the toJSON of a Buffer before it gives the value.
  const value = (this as Record<string, unknown>)[key];
  if (value instanceof Uint8Array)
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  return typeof value === "number" && !Number.isFinite(value) ? { $number: String(value) } : plain;
}

function fromJson(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) return value;
  const { $bytes, $number } = value as { readonly $bytes?: unknown; readonly $number?: unknown };
  if (typeof $bytes === "string") return new Uint8Array(Buffer.from($bytes, "base64"));
  return $number === "NaN" || $number === "Infinity" || $number === "-Infinity" ? Number($number) : value;
}

/** Requires a value of plain objects, arrays, texts, numbers, booleans, null and bytes. */
export function encodeFrame(value: unknown): Buffer {
  const text = JSON.stringify(value, toJson);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(lengthBytes + length);
  frame.writeUInt32LE(length);
  frame.write(text, lengthBytes);
  return frame;
}

function decode(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), fromJson);
  } catch (error) {
    throw new FrameError(`a frame of ${bytes.length} bytes is no JSON: ${firstLine((error as Error).message, 100)}`);
  }
}

function checkedLength(header: Buffer, limit: number): number {
  const length = header.readUInt32LE();
  if (length > limit) throw new FrameError(`a frame of ${length} bytes was announced; at most ${limit} are allowed`);
  return length;
}

/** Decodes the frames in a stream of chunks. Memory is bounded by the limit of one frame. */
export class FrameReader {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #have = 0;
  /** Bytes of the frame that has begun, without its length; undefined: its length is not known yet. */
  #length: number | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The values that this chunk completes. Throws FrameError at the first bytes that are no frame; nothing may be read afterwards.
   */
  *read(chunk: Uint8Array): Generator<unknown, void, undefined> {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    for (;;) {
      if (this.#length === undefined) {
        if (this.#have < lengthBytes) return;
        this.#length = checkedLength(this.#take(lengthBytes), this.#limit);
      }
      if (this.#have < this.#length) return;
      const body = this.#take(this.#length);
      this.#length = undefined;
      yield decode(body);
    }
  }

  #take(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#parts;
    const all =
      this.#parts.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) : Buffer.concat(this.#parts);
    this.#parts = all.length === length ? [] : [all.subarray(length)];
    this.#have = all.length - length;
    return all.subarray(0, length);
  }
}

/** Returns when the frame has left this process. */
export function writeFrame(fd: number, value: unknown): void {
  const frame = encodeFrame(value);
  for (let at = 0; at < frame.length; ) at += writeSync(fd, frame, at);
}

/** Waits for the next frame of a host, which is trusted. Undefined when the host is gone. */
export function readFrame(fd: number): unknown {
  const header = readWhole(fd, lengthBytes);
  const body = header && readWhole(fd, header.readUInt32LE());
  return body && decode(body);
}

function readWhole(fd: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const got = readSync(fd, bytes, at, length - at, null);
    if (got === 0) return undefined;
    at += got;
  }
  return bytes;
}
