import { badInput } from "@warpfarm/common";
import { expect, it } from "vitest";
import { sentenceOf } from "../exit.ts";
import { table } from "./table.ts";

/** Client and worker choose names that an admin's terminal shows. */
const name = "evil\u001b[2J\u0007\r\u202ename";

it("no cell and no error carries what a terminal obeys", () => {
  expect(table(["task", "of"], [[name, "mallory"]])).toBe("task             of\nevil?[2J? ?name  mallory\n");
  expect(table(["task", `of ${name}`], [["two\nlines", "x"]])).toBe("task       of evil?[2J? ?name\ntwo lines  x\n");
  expect(table(["task", "more"], [["t", name]], { width: 12, fold: 1 })).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  expect(sentenceOf(badInput(`no such task: ${name}`))).toBe("no such task: evil?[2J? ?name");
});
