import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("fuse", () => {
  it("makes one loop of neighbours", () => {
    expect(rewritten((s) => s.fuse(s.axes(s.stage("b"))))).toMatchInlineSnapshot(`
      "
        stage b:
          for i.j.fused in 60:
            b[i.j.fused // 10, i.j.fused % 10] = a[i.j.fused // 10, i.j.fused % 10] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("splits again without leaving a trace of division", () => {
    expect(
      rewritten((s) => {
        const fused = s.fuse(s.axes(s.stage("b")));
        s.split(fused, [null, 10]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i.j.fused.outer in 6:
            for i.j.fused.inner in 10:
              b[i.j.fused.outer, i.j.fused.inner] = a[i.j.fused.outer, i.j.fused.inner] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("guards the fused loop when a later split overruns", () => {
    expect(
      rewritten((s) => {
        const fused = s.fuse(s.axes(s.stage("b")));
        s.split(fused, [null, 7]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i.j.fused.outer in 9:
            for i.j.fused.inner in 7:
              if i.j.fused.outer * 7 + i.j.fused.inner < 60:
                b[(i.j.fused.outer * 7 + i.j.fused.inner) // 10, (i.j.fused.outer * 7 + i.j.fused.inner) % 10] = a[(i.j.fused.outer * 7 + i.j.fused.inner) // 10, (i.j.fused.outer * 7 + i.j.fused.inner) % 10] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  refuses([
    [
      "loops in the wrong order",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.fuse([j, i]);
      },
      "fuse.neighbours",
    ],
    [
      "loops with another between",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        const [outer] = s.split(i, [null, 2]);
        s.fuse([outer, j]);
      },
      "fuse.neighbours",
    ],
    ["a spatial loop and a reduction", (s) => s.fuse([...s.axes(s.stage("c")), ...s.reduceAxes(s.stage("c"))]), "fuse.mixed"],
    [
      "loops of two stages",
      (s) => s.fuse([s.axes(s.stage("b"))[1] as LoopRef, s.axes(s.stage("c"))[0] as LoopRef]),
      "fuse.stage",
    ],
    ["one loop", (s) => s.fuse(s.axes(s.stage("c"))), "fuse.loops"],
    [
      "a vectorized loop",
      (s) => {
        const loops = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.vectorize(loops[1]);
        s.fuse(loops);
      },
      "fuse.marked",
    ],
    [
      "a loop that was fused",
      (s) => {
        const loops = s.axes(s.stage("b"));
        s.fuse(loops);
        s.fuse(loops);
      },
      "fuse.leaf",
    ],
  ]);
});
