import { describe, expect, it } from "vitest";
import { createSchedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf, refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

const axesOfB = (s: ReturnType<typeof createSchedule>) => s.axes(s.stage("b")) as [LoopRef, LoopRef];

describe("tile", () => {
  it("splits two loops and moves the inner parts inside", () => {
    expect(
      rewritten((s) => {
        const [i, j] = axesOfB(s);
        const [, jo, ii] = s.tile(i, j, 4, 5);
        s.reorder([ii, jo]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i.outer in 2:
            for i.inner in 4:
              for j.outer in 2:
                for j.inner in 5:
                  if i.outer * 4 + i.inner < 6:
                    b[i.outer * 4 + i.inner, j.outer * 5 + j.inner] = a[i.outer * 4 + i.inner, j.outer * 5 + j.inner] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("is what split and reorder make", () => {
    const [tiled, split] = [createSchedule(sampleGraph()), createSchedule(sampleGraph())];
    const [i, j] = axesOfB(tiled);
    const made = tiled.tile(i, j, 4, 5);
    const [io, ii] = split.split(i, [null, 4]);
    const [jo, ji] = split.split(j, [null, 5]);
    split.reorder([io, jo, ii, ji]);
    expect(made).toEqual([io, jo, ii, ji]);
    expect(JSON.stringify(nestOf(tiled))).toBe(JSON.stringify(nestOf(split)));
  });
  refuses([
    ["a loop with itself", (s) => s.tile(axesOfB(s)[0], axesOfB(s)[0], 2, 2), "tile.twice"],
    ["loops of two stages", (s) => s.tile(axesOfB(s)[0], s.axes(s.stage("c"))[0] as LoopRef, 2, 2), "tile.stage"],
    [
      "a loop that was split",
      (s) => {
        s.split(axesOfB(s)[0], [null, 2]);
        s.tile(axesOfB(s)[0], axesOfB(s)[1], 2, 2);
      },
      "tile.leaf",
    ],
    ["a factor of 0", (s) => s.tile(axesOfB(s)[0], axesOfB(s)[1], 0, 2), "tile.args"],
  ]);
});
