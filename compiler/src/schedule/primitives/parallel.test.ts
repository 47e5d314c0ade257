import { describe } from "vitest";
import type { LoopRef } from "../state.ts";
import { marksALoop, refuses } from "./primitive.testing.ts";

describe("parallel", () => {
  marksALoop("parallel", "parallel");
  refuses([["a reduction", (s) => s.parallel(s.reduceAxes(s.stage("c"))[0] as LoopRef), "parallel.reduce"]]);
});
