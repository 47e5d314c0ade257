import { at, compute, fills, graphOf, placeholder } from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { defineTemplate } from "./define-template.ts";
import { createTask } from "./task.ts";
import { whole } from "./template-args.ts";

const rows = (most: number, n: number) => {
  const [index, x] = [placeholder("index", [n], "int32", fills.below(most)), placeholder("x", [8])];
  return graphOf([index, x], [compute("out", [["i", n]], (i) => at(x, at(index, i)))]);
};
const template = (reference: number, scheduled: number) =>
  defineTemplate({
    name: "take",
    summary: "rows by an index",
    targets: ["cpu"],
    args: { n: whole(4) },
    graph: ({ args: { n } }) => rows(8, n),
    reference: ({ args: { n } }) => rows(reference, n),
    scheduled: (_, { args: { n } }) => rows(scheduled, n),
    space: (space) => ({ u: space.choice("u", [0, 1]) }),
    schedule: () => {},
  });
const target = "cpu/x86-64-v2";

it("an index is filled alike in the computation, in what a config schedules and in the reference", () => {
  const words =
    /take: input "index" has \{.*"to":"(7|4)"\} in the computation and \{.*"to":"(7|4)"\} in its reference; give both the/;
  expect(createTask(template(8, 8), undefined, target).instantiate(0 as never).ok).toBe(true);
  expect(() => createTask(template(5, 8), undefined, target)).toThrow(words);
  expect(() => createTask(template(8, 5), undefined, target).instantiate(0 as never)).toThrow(words);
});
