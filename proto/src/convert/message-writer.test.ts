/** Bytes at the edges of lengths, against an encoder written once more from protobuf's page of encodings. */
import { expect, it } from "vitest";
import { MessageWriter } from "./message-writer.ts";

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return [...bytes, Number(left)];
}
const block = (field: number, content: readonly number[]): number[] => [
  ...varint(8 * field + 2),
  ...varint(content.length),
  ...content,
];

it.each([1, 127, 128, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER])("the number %i", (value) => {
  const writer = new MessageWriter();
  expect([...writer.integer(3, value).integer(17, value).finish()]).toEqual([
    ...[...varint(24), ...varint(value)],
    ...[...varint(136), ...varint(value)],
  ]);
  expect(writer.integer(3, 0).finish()).toHaveLength(0);
});

it.each([
  0, 1, 123, 124, 125, 126, 127, 128, 4_080, 4_094, 4_095, 4_096, 16_379, 16_380, 16_384,
])("a message in a message whose bytes are %i", (length) => {
  const content = Array.from({ length }, (_, i) => (7 * i) % 256);
  const writer = new MessageWriter();
  const expected = [...block(1, [...block(2, content), ...varint(24), 5]), ...block(4, [...Buffer.from("é")])];
  // The second is written over the first, in a buffer that has grown.
  for (let round = 0; round < 2; round++) {
    writer.message(1, (into) => into.bytes(2, Uint8Array.from(content)).integer(3, 5)).text(4, "é");
    expect([...writer.finish()]).toEqual(expected);
  }
});

it("what was given up is not in the next message, and no message changes later", () => {
  const writer = new MessageWriter();
  const first = writer.text(1, "first").finish();
  writer.text(1, "given up");
  writer.reset();
  expect([[...writer.text(1, "other").finish()], [...first]]).toEqual([
    block(1, [...Buffer.from("other")]),
    block(1, [...Buffer.from("first")]),
  ]);
});

it.each([
  [0, []],
  [0.000_001, [16, 1]],
  [999.999_999, [16, ...varint(999_999_999)]],
  [1_000, [8, 1]],
  [86_400_000.5, [8, ...varint(86_400), 16, ...varint(500_000)]],
])("a duration of %d ms", (ms, content) => {
  expect([...new MessageWriter().duration(2, ms).finish()]).toEqual(block(2, content));
});
