import { describe } from "vitest";
import type { LoopRef } from "../state.ts";
import { marksALoop, refuses } from "./primitive.testing.ts";

describe("vectorize", () => {
  marksALoop("vectorize", "vectorized");
  refuses([
    ["a reduction", (s) => s.vectorize(s.reduceAxes(s.stage("c"))[0] as LoopRef), "vectorize.reduce"],
    [
      "a stage computed inside lanes",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.vectorize(i);
        s.computeAt(s.stage("b"), s.stage("c"), i);
      },
      "vectorize.attached",
    ],
  ]);
});
