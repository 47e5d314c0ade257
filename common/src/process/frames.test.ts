import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, FrameError, FrameReader } from "./frames.ts";

const limit = 1000;

/** The values that a reader finds in these chunks, and why it stopped. */
function readAll(chunks: readonly Uint8Array[]): { readonly values: unknown[]; readonly error?: string } {
  const reader = new FrameReader(limit);
  const values: unknown[] = [];
  try {
    for (const chunk of chunks) for (const value of reader.read(chunk)) values.push(value);
    return { values };
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return { values, error: error.message };
  }
}

/** The same bytes in pieces of these sizes. */
function inPieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const number = fc.oneof(fc.integer(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5));
const value = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,4}$/),
  fc.oneof(
    number,
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 30 }),
    fc.array(number, { maxLength: 3 }),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

describe("frames", () => {
  test("values travel whole, however their bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), sizes, (values, cuts) => {
        expect(readAll(inPieces(Buffer.concat(values.map(encodeFrame)), cuts))).toEqual({ values });
      }),
    );
  });

  test("a Buffer is bytes, not the object that JSON makes of it", () => {
    expect(readAll([encodeFrame({ code: Buffer.from([1, 255]) })]).values).toEqual([{ code: new Uint8Array([1, 255]) }]);
  });

  test("a frame that is not complete gives nothing yet, and no error", () => {
    const frame = encodeFrame({ a: 1 });
    for (let length = 0; length < frame.length; length++) expect(readAll([frame.subarray(0, length)])).toEqual({ values: [] });
  });

  test("a frame of the limit is read, and one byte more is refused by its length alone", () => {
    const text = (length: number) => encodeFrame("x".repeat(length - 2));
    expect(readAll([text(limit)]).values).toEqual(["x".repeat(limit - 2)]);
    const refused = { values: [], error: `a frame of ${limit + 1} bytes was announced; at most ${limit} are allowed` };
    expect(readAll([text(limit + 1).subarray(0, 4)])).toEqual(refused);
  });

  test.each([
    ["no bytes", ""],
    ["no JSON", "nonsense"],
    ["half of a value", '{"a":'],
    ["two values", "1 2"],
    ["text that is no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["brackets without end", "[".repeat(900)],
  ])("a frame of %s is refused, after the values before it", (_, body) => {
    const bytes = Buffer.from(body);
    const header = Buffer.alloc(4);
    header.writeUInt32LE(bytes.length);
    const { values, error } = readAll([encodeFrame(1), Buffer.concat([header, bytes]), encodeFrame(2)]);
    expect(values).toEqual([1]);
    expect(error).toMatch(/ is no JSON: /);
  });

  test("random bytes, alone or behind a frame, never throw anything else and never give more than they hold", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.uint8Array({ maxLength: 300 }), sizes, (isBehind, bytes, cuts) => {
        const before = isBehind ? encodeFrame("first") : Buffer.alloc(0);
        const { values } = readAll(inPieces(Buffer.concat([before, bytes]), cuts));
        if (isBehind) expect(values[0]).toBe("first");
        expect(values.length).toBeLessThanOrEqual((isBehind ? 1 : 0) + bytes.length / 5);
      }),
      { numRuns: 1_000 },
    );
  });
});
