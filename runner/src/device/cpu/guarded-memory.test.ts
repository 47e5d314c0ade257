import { constants } from "node:buffer";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DeviceError } from "../device-api.ts";
import { GuardedMemory } from "./guarded-memory.ts";

test("every size and alignment: aligned, zeroed, whole, and whole again after being filled", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 21 }), (size, log) => {
      const memory = new GuardedMemory(size, 2 ** log);
      try {
        expect(memory.address % BigInt(2 ** log)).toBe(0n);
        expect(memory.bytes.length).toBe(size);
        expect(memory.bytes.every((byte) => byte === 0)).toBe(true);
        memory.bytes.fill(0xff);
        expect(memory.isDamaged()).toBe(false);
      } finally {
        memory.free();
        memory.free();
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  1, 63, 100, 4_097,
])("one byte written directly behind a buffer of %i bytes, or directly before it, is seen", (size) => {
  for (const at of [-1, size]) {
    const memory = new GuardedMemory(size, 64);
    try {
      const { buffer, byteOffset } = memory.bytes;
      const byte = new Uint8Array(buffer, byteOffset + at, 1);
      byte[0] = (byte[0] as number) ^ 1;
      expect(memory.isDamaged()).toBe(true);
    } finally {
      memory.free();
    }
  }
});

test("a buffer longer than JavaScript can see: out_of_memory, not the end of the process", () => {
  const size = constants.MAX_LENGTH + 1;
  if (size > Number.MAX_SAFE_INTEGER) return;
  expect(() => new GuardedMemory(size, 64)).toThrow(`${size} bytes was asked for; on this runner one has at most`);
});

test("more memory than there is: out_of_memory, with the size asked for", () => {
  const ask = () => new GuardedMemory(2 ** 50, 64);
  expect(ask).toThrow(DeviceError);
  expect(ask).toThrow(String(2 ** 50));
});

test("no index of 32 bits reaches from a buffer what is not its own", (ctx) => {
  if (process.platform !== "linux") ctx.skip("no /proc/self/maps");
  const all = [1, 4096, 100_000].map((size) => new GuardedMemory(size, 64));
  try {
    const open = [...readFileSync("/proc/self/maps", "utf8").matchAll(/^(\w+)-(\w+) (?!---)/gm)].map(
      ([, from = "", to = ""]) => [BigInt(`0x${from}`), BigInt(`0x${to}`)] as const,
    );
    for (const { address, bytes } of all) {
      const [least, most] = [address - 8n * 2n ** 31n, address + 8n * 2n ** 31n];
      const own = (from: bigint, to: bigint) => from <= address && address + BigInt(bytes.length) <= to;
      expect(open.filter(([from, to]) => from < most && to > least && !own(from, to))).toEqual([]);
    }
  } finally {
    for (const memory of all) memory.free();
  }
});
