/** Declaring an intrinsic, storing it in a Program, and what each refuses. */
import { canonicalJson, type Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { copyA, product } from "../../../test-support/programs/intrinsics.ts";
import { matmulByTiles } from "../../../test-support/programs/product-by-tiles.ts";
import { decodeProgram, encodeProgram, type ScheduleProgram } from "../serial/program.ts";
import { compute, placeholder } from "../te/compute.ts";
import { at } from "../te/expr.ts";
import type { Graph } from "../te/graph.ts";
import { graphOf } from "../te/graph-of.ts";
import { defineIntrinsic, type IntrinsicDeclaration } from "./define-intrinsic.ts";

const copyGraph = (name = "frag"): Graph => {
  const src = placeholder("src", [4, 2]);
  return graphOf(
    [src],
    [
      compute(
        name,
        [
          ["i", 4],
          ["j", 2],
        ],
        (i, j) => at(src, i, j),
      ),
    ],
  );
};
const good: IntrinsicDeclaration = {
  name: "load",
  needs: { kind: "cuda", from: 80 },
  semantics: copyGraph(),
  operands: {
    src: { scope: "shared" },
    frag: { scope: "wmma.matrix_a", fragment: { layout: "t.a", register: "b32", count: 2 } },
  },
  text: "op{src.space} {frag}, [{src}], {src.stride}, {frag.1};",
};

describe("a declaration", () => {
  it("is data: functions run once, at declaration, and defaults are filled in", () => {
    let runs = 0;
    const made = defineIntrinsic({
      ...good,
      semantics: () => {
        runs++;
        return copyGraph();
      },
    });
    expect(runs).toBe(1);
    expect(made.operands).toMatchObject([
      { name: "src", scopes: ["shared"], strides: [null, 1], offsetFactor: 1, strideFactor: 1 },
      { name: "frag", scopes: ["wmma.matrix_a"], strides: [2, 1], offsetFactor: 8 },
    ]);
    expect(made).toMatchObject({ needs: { kind: "cuda", from: 80 }, agent: "warp" });
  });

  const frag = good.operands.frag as { scope: "wmma.matrix_a"; fragment: { layout: string; register: "b32"; count: number } };
  it.each<[what: string, change: Partial<IntrinsicDeclaration>, message: RegExp]>([
    ["a name that is none", { name: "a-b" }, /is not a name/],
    ["an operand too few", { operands: { src: { scope: "shared" } } }, /does not declare the operand "frag"/],
    ["an operand too many", { operands: { ...good.operands, x: { scope: "shared" } } }, /"x", which is no tensor/],
    [
      "a fragment without registers",
      { operands: { ...good.operands, frag: { scope: "wmma.matrix_a" } } },
      /a fragment is declared exactly/,
    ],
    [
      "registers of memory",
      { operands: { ...good.operands, src: { scope: "shared", fragment: frag.fragment } } },
      /exactly for the scopes/,
    ],
    [
      "a fragment in two places",
      { operands: { ...good.operands, frag: { ...frag, scope: ["wmma.matrix_a", "shared"] } } },
      /one fragment scope/,
    ],
    ["registers of one thread", { operands: { ...good.operands, src: { scope: "local" } } }, /shared or global/],
    [
      "too many registers",
      { operands: { ...good.operands, frag: { ...frag, fragment: { ...frag.fragment, count: 129 } } } },
      /1 to 128/,
    ],
    [
      "a layout's name",
      { operands: { ...good.operands, frag: { ...frag, fragment: { ...frag.fragment, layout: 'a"b' } } } },
      /layout's name/,
    ],
    ["two free strides", { operands: { ...good.operands, src: { scope: "shared", strides: [null, null] } } }, /at most one null/],
    ["a stride too few", { operands: { ...good.operands, src: { scope: "shared", strides: [1] } } }, /1 strides; its tile has 2/],
    ["a sparse fragment", { operands: { ...good.operands, frag: { ...frag, strides: [4, 1] } } }, /its tiles are dense/],
    [
      "a map that two elements share",
      { operands: { ...good.operands, frag: { ...frag, fragment: { ...frag.fragment, places: (i) => [i, i] } } } },
      /the map of its places/,
    ],
    [
      "a map of fewer lanes than a warp's",
      { operands: { ...good.operands, frag: { ...frag, fragment: { ...frag.fragment, places: (i, j) => [i, j] } } } },
      /takes 4 lanes of 2 elements; a warp has 32, with 2/,
    ],
    [
      "a lane's element outside of the tile",
      { operands: { ...good.operands, src: { scope: "shared", address: (lane) => [lane, 0] } } },
      /a lane's element has the index lane; 0 to 3/,
    ],
    [
      "a lane's element with an index too few",
      { operands: { ...good.operands, src: { scope: "shared", address: () => [0] } } },
      /has 1 indices; its tile has 2/,
    ],
    [
      "addresses of registers",
      { operands: { ...good.operands, frag: { ...frag, address: () => [0, 0] } } },
      /registers have no addresses/,
    ],
    [
      "a factor of nothing",
      { operands: { ...good.operands, src: { scope: "shared", offsetFactor: 0 } } },
      /whole numbers from 1/,
    ],
    ["no text", { text: {} }, /has a text for nothing/],
    ["the step of no reduction", { text: { update: "x" } }, /without a reduction there is body/],
    ["a quote", { text: 'say "x"' }, /without " and/],
    ["a backslash", { text: "a\\n" }, /without " and/],
    ["an unknown hole", { text: "op {x};" }, /\{x\} names no operand/],
    ["a register there is not", { text: "op {frag.2};" }, /\{frag.2\} names no operand/],
    ["the stride of registers", { text: "op {frag.stride};" }, /\{frag.stride\} names no operand/],
    ["an open hole", { text: "op {src" }, /not closed/],
    ["a brace on its own", { text: "op } ;" }, /closes no hole/],
    ["a text too long", { text: "x".repeat(16_385) }, /at most 16384/],
    ["another backend", { needs: { kind: "cpu" } }, /its text is PTX, for cuda/],
    ["capabilities the wrong way round", { needs: { kind: "cuda", from: 90, to: 80 } }, /90 to 80/],
    ["a warp's fragment done by a warpgroup", { agent: "warpgroup" }, /wmma.matrix_a, which is a warp's/],
    ["a capability from before", { needs: { kind: "cuda", from: 20 } }, /50 to 999/],
    [
      "an index that is no axis",
      {
        semantics: () => {
          const src = placeholder("src", [4, 2]);
          return graphOf(
            [src],
            [
              compute(
                "frag",
                [
                  ["i", 4],
                  ["j", 2],
                ],
                (i) => at(src, i, 0),
              ),
            ],
          );
        },
      },
      /other expressions than one axis for each dimension/,
    ],
    [
      "a tile of a whole picture",
      {
        semantics: () => {
          const src = placeholder("src", [1024, 1024]);
          return graphOf(
            [src],
            [
              compute(
                "frag",
                [
                  ["i", 1024],
                  ["j", 1024],
                ],
                (i, j) => at(src, i, j),
              ),
            ],
          );
        },
      },
      /at most 65536/,
    ],
  ])("refuses %s", (_, change, message) => {
    expect(() => defineIntrinsic({ ...good, ...change })).toThrow(message);
  });

  /** A copy of a tile of so many rows of 32 elements. */
  const rowsOf = (rows: number) => () => {
    const src = placeholder("src", [rows, 32]);
    const axes = [
      ["i", rows],
      ["j", 32],
    ] as const;
    return graphOf([src], [compute("frag", axes, (i, j) => at(src, i, j))]);
  };
  const registers = (count: number) => ({
    operands: { ...good.operands, frag: { ...frag, fragment: { layout: "x", register: "f32", count } } },
  });
  it.each<[what: string, most: Partial<typeof good>, more: Partial<typeof good>]>([
    ["elements of a tile", { semantics: rowsOf(2048) }, { semantics: rowsOf(2049) }],
    ["registers", registers(128) as Partial<typeof good>, registers(129) as Partial<typeof good>],
    ["letters of a text", { text: "x".repeat(16_384) }, { text: "x".repeat(16_385) }],
    ["the lowest level", { needs: { kind: "cuda", from: 50 } }, { needs: { kind: "cuda", from: 49 } }],
    ["the highest level", { needs: { kind: "cuda", from: 999 } }, { needs: { kind: "cuda", from: 1000 } }],
  ])("%s: as many as allowed, and no more", (_, most, more) => {
    expect(() => defineIntrinsic({ ...good, ...most })).not.toThrow();
    expect(() => defineIntrinsic({ ...good, ...more })).toThrow();
  });
});

describe("in a Program", () => {
  const schedule = matmulByTiles();
  const program = encodeProgram(schedule.graph, schedule.trace, "cuda/sm_80", schedule.intrinsics);
  const json = JSON.parse(new TextDecoder().decode(program.bytes)) as { [key: string]: Json };
  const bytesOf = (change: (copy: { [key: string]: Json }) => void): Uint8Array => {
    const copy = structuredClone(json);
    change(copy);
    return new TextEncoder().encode(canonicalJson(copy));
  };
  type Doc = { [key: string]: Json };
  const intrinsicsOf = (doc: Doc) => doc.intrinsics as Doc[];
  const first = (doc: Doc) => intrinsicsOf(doc)[0] as Doc;
  const put = (doc: Doc, key: string, value: Json): void => {
    doc[key] = value;
  };

  it("travels byte for byte, in the order of first use", () => {
    const decoded = decodeProgram(program.bytes);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const { intrinsics = [], graph, trace, target } = decoded.value as ScheduleProgram;
    expect(intrinsics.map((i) => i.name)).toEqual(["copy_a", "copy_b", "copy_out", "product"]);
    expect(encodeProgram(graph, trace, target, intrinsics)).toEqual(program);
    expect(intrinsics[0]).toMatchObject({ operands: copyA.operands, text: copyA.text, needs: { kind: "cuda", from: 75 } });
    expect(intrinsics[3]?.text).toEqual(product.text);
  });
  it("may ask for more than a level", () => {
    const changed = bytesOf((doc) => put(first(doc), "needs", { kind: "cuda", from: 90, to: 90, features: ["a"] }));
    const decoded = decodeProgram(changed);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const { intrinsics = [], graph, trace, target } = decoded.value as ScheduleProgram;
    expect(intrinsics[0]?.needs).toEqual({ kind: "cuda", from: 90, to: 90, features: ["a"] });
    expect(encodeProgram(graph, trace, target, intrinsics).bytes).toEqual(changed);
  });
  it.each<[what: string, change: (doc: Doc) => void, message: RegExp]>([
    ["a CPU", (doc) => put(doc, "target", "cpu/x86-64-v3"), /intrinsics are for cuda/],
    ["one that no step names", (doc) => put(first(doc), "name", "other"), /tensorize steps name/],
    ["one missing", (doc) => put(doc, "intrinsics", intrinsicsOf(doc).slice(0, -1)), /tensorize steps name/],
    ["another order", (doc) => put(doc, "intrinsics", [...intrinsicsOf(doc)].reverse()), /tensorize steps name/],
    ["an unknown field", (doc) => put(first(doc), "extra", 1), /unknown field "extra"/],
    ["an unknown form", (doc) => put(first(doc), "text", { body: "x", before: "y" }), /one of body, init, update/],
    ["a text with a quote", (doc) => put(first(doc), "text", { body: '"; evil(); "' }), /without " and/],
    [
      "a scope there is not",
      (doc) => put((first(doc).operands as Doc[])[0] as Doc, "scopes", ["register"]),
      /one of global, shared/,
    ],
    ["an agent there is not", (doc) => put(first(doc), "agent", "block"), /one of warp, warpgroup/],
    ["a need without features", (doc) => put(first(doc), "needs", { kind: "cuda", from: 75 }), /needs: .*"features"/],
    ["a need of level 0", (doc) => put(first(doc), "needs", { kind: "cuda", from: 0, features: [] }), /needs\.from: 0/],
    ["no agent", (doc) => void delete first(doc).agent, /"agent"/],
    ["more than 64", (doc) => put(doc, "intrinsics", new Array(65).fill(first(doc))), /at most 64/],
  ])("is refused with %s", (_, change, message) => {
    const decoded = decodeProgram(bytesOf(change));
    expect(decoded.ok ? "" : decoded.error.message).toMatch(message);
  });
});
