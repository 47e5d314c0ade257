import { compute, fills, graphOf, placeholder } from "@warpfarm/compiler";
import { add, at, cast } from "@warpfarm/compiler/language";
import { expect, test } from "vitest";
import { inputsOf } from "./check-inputs.ts";

test("inputs hold what their fills say; floats have few bits; others are small integers", () => {
  const n = 64;
  const inputs = [
    placeholder("index", [n], "int32", fills.below(5)),
    placeholder("order", [4, 16], "int32", fills.permutation),
    placeholder("variance", [n], "float16", fills.positive),
    placeholder("wide", [n], "float32", fills.range(-3, 5)),
    placeholder("tenth", [n], "float32", fills.constant(0.1)),
    placeholder("narrow", [n], "float32", fills.range(7, 7)),
    placeholder("plain", [n], "uint8"),
    placeholder("signed", [n]),
  ] as const;
  const [index, order] = inputs;
  const out = compute("out", [["i", n]], (i) => add(cast("float32", at(index, i)), 1));
  const data = inputsOf(graphOf(inputs, [out]));
  const of = (name: string): number[] => [...(data.get(name) ?? [])];
  expect(new Set(of(index.name))).toEqual(new Set([0, 1, 2, 3, 4]));
  const rows = [0, 16, 32, 48].map((at) => of(order.name).slice(at, at + 16));
  for (const row of rows) expect([...row].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  expect(rows[0]).not.toEqual(rows[1]);
  const few = (name: string, unit: number, least: number, most: number) => {
    expect(of(name).every((x) => x * unit === Math.round(x * unit) && x >= least && x <= most)).toBe(true);
    expect(new Set(of(name)).size).toBeGreaterThan(4);
  };
  // 1/256 itself has more bits, and is the range's end.
  expect(of("variance").every((x) => x === 1 / 256 || x * 16 === Math.round(x * 16))).toBe(true);
  few("variance", 256, 1 / 256, 1);
  few("wide", 1, -3, 5);
  few("plain", 1, 0, 5);
  few("signed", 1, -2, 3);
  expect(new Set(of("tenth"))).toEqual(new Set([Math.fround(0.1)]));
  expect(new Set(of("narrow"))).toEqual(new Set([7]));
});
