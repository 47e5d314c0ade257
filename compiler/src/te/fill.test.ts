import { expect, it } from "vitest";
import { placeholder } from "./compute.ts";
import { fillOf, fills } from "./fill.ts";

it("a fill that is none of `fills` is cited, with what there is", () => {
  const filled = (fill: unknown) => () => placeholder("x", [4], "float32", fill as never);
  const wrong: [unknown, string][] = [
    [{ fill: { range: [0, 1] } }, '{"fill":{"range":[0,1]}}'],
    [{ kind: "uniform" }, '{"kind":"uniform"}'],
    ["positive", '"positive"'],
    [null, "null"],
    [fills.range, "a function that is not called"],
  ];
  for (const [fill, words] of wrong)
    expect(filled(fill)).toThrow(`fill of "x" is ${words}; it takes fills.range(from, to), fills.positive, `);
  expect(fillOf(filled(fills.range(0, 1))())).toEqual({ kind: "range", from: "0", to: "1" });
});
