/**
 * A tile of A of mma.sync (16x16, float16) from int4 that lie in memory as lanes keep them: the eight of a lane are one word.
 *
 * In a word the elements 0-3, from the top, are the first ones of the lane's four registers, and 4-7 the second ones, so both of
 * a register stand at the same place of the word's two halves. Each gets the exponent of 1024 around it: then it reads 1024 + v +
 * 8, or 1024 + 16 (v + 8) where it stands four bits higher, and what is too much is taken away, exactly. Source: Y. Kim et al.,
 * "Who Says Elephants Can't Run: Bringing Large Scale MoE Models into Cloud Scale Production", 2022, section 4.
 */
import { compute, placeholder } from "../../te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { defineIntrinsic } from "../define-intrinsic.ts";
import { leftLayout } from "./mma-sync.ts";

/** Row and column of the tile in 8x8 matrices (h, g), the row there (i), and of its columns a pair (q) and one of the two (v). */
const tile = [
  ["h", 2],
  ["i", 8],
  ["g", 2],
  ["q", 4],
  ["v", 2],
] as const;
const src = placeholder("src", [8, 4, 2, 2, 2], "int4");

export const loadInt4 = defineIntrinsic({
  name: "load_a_int4_f16",
  needs: { kind: "cuda", from: 80 },
  semantics: graphOf([src], [compute("frag", tile, (h, i, g, q, v) => cast("float16", at(src, i, q, v, g, h)))]),
  operands: {
    src: {
      scope: ["shared", "global"],
      strides: [32, 8, 4, 2, 1],
      offsetFactor: 256,
      address: (lane) => [floorDiv(lane, 4), floorMod(lane, 4), 0, 0, 0],
    },
    frag: {
      scope: "wmma.matrix_a",
      fragment: {
        ...leftLayout("f16"),
        places: (h, i, g, q, v) => [add(mul(i, 4), q), add(add(mul(g, 4), mul(h, 2)), v)],
      },
    },
  },
  text: [
    "{{",
    ".reg .b32 w, low, high, bias, less, part;",
    "ld{src.space}.b32 w, [{src}];",
    // The halves in the order of registers, the second time a byte further up.
    "prmt.b32 low, w, w, 0x1032;",
    "prmt.b32 high, w, w, 0x0103;",
    // (x & mask) ^ exponents, which turns two's complement into v + 8 as well.
    "lop3.b32 {frag.3}, low, 0x000f000f, 0x64086408, 0x6a;",
    "lop3.b32 {frag.2}, low, 0x00f000f0, 0x64806480, 0x6a;",
    "lop3.b32 {frag.1}, high, 0x000f000f, 0x64086408, 0x6a;",
    "lop3.b32 {frag.0}, high, 0x00f000f0, 0x64806480, 0x6a;",
    // 1032, 1/16 and -72.
    "mov.b32 bias, 0x64086408;",
    "mov.b32 part, 0x2c002c00;",
    "mov.b32 less, 0xd480d480;",
    "sub.f16x2 {frag.3}, {frag.3}, bias;",
    "fma.rn.f16x2 {frag.2}, {frag.2}, part, less;",
    "sub.f16x2 {frag.1}, {frag.1}, bias;",
    "fma.rn.f16x2 {frag.0}, {frag.0}, part, less;",
    "}}",
  ].join("\n"),
});
