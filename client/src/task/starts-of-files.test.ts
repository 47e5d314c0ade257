/** `starts` of a user's template: what a search says of configs that it leaves out, and how a fault names file and template. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTask } from "@warpfarm/templates";
import { expect, onTestFinished, test } from "vitest";
import { beginningOf, beginningWords } from "../search/farm-records.ts";
import { loadTemplate } from "./template-file.ts";

const file = (starts: string) => `import { at, compute, defineTemplate, graphOf, placeholder, whole } from "warpfarm";
export default defineTemplate({
  name: "row", summary: "a row", targets: ["cpu"], args: { n: whole(64) },
  starts: ${starts},
  graph: ({ args: { n } }) => {
    const x = placeholder("x", [n]);
    return graphOf([x], [compute("out", [["i", n]], (i) => at(x, i))]);
  },
  space: (space) => ({ tile: space.choice("tile", [1, 2, 4, 8]) }),
  schedule: (sch, { tile }) => { const [i] = sch.axes(sch.stage("out")); sch.split(i, [null, tile]); },
});
`;

/** What a search would say when it begins with them, or the message of the error. */
async function begins(starts: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-starts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "my.mts"), file(starts));
  try {
    const task = createTask(await loadTemplate(join(folder, "my.mts"), "./my.mts"), undefined, "cpu/x86-64-v3");
    return beginningWords(beginningOf([], task, "auto"), task.name);
  } catch (error) {
    return (error as Error).message;
  }
}

test("what the space has is measured first, and what it lacks is named with the reason", async () => {
  expect(await begins("() => [{ tile: 2 }]")).toBe("begins with 1 config that row names (--transfer none skips them)");
  expect(await begins("() => [{ tile: 7 }, { tile: 2 }]")).toBe(
    "begins with 1 config that row names (--transfer none skips them); left out: starts[0]: knob tile has no entry 7 among its 4",
  );
  expect(await begins("() => [{ tile: 16 }]")).toMatch(/^begins with 0 configs .* starts\[0\]: knob tile has no entry 16/);
});

const remedy = "; correct them, or --transfer none searches without starts";
test.each([
  ["() => [{ tile: undefined.x }]", /^row: its starts: TypeError: .*reading 'x'\)/],
  ["() => { throw 3; }", /^row: its starts: it throws 3/],
  ["() => Array.from({ length: 9 }, (_, i) => ({ tile: i }))", /^row has 9 starts; it takes at most 8/],
  ["() => ({ tile: 1 })", /^row has starts that give \{"tile":1\}; starts gives a list of configs/],
  ["() => undefined", /^row has starts that give undefined; starts gives a list/],
  ["() => [3]", /^row has 3 as starts\[0\]; starts gives a list of configs, each an object/],
  ["() => [{ tile: 1 }, { tlie: 3 }]", /^row has no knob "tlie", which starts\[1\] gives; its knobs are tile/],
])("starts: %s", async (starts, says) => {
  const message = (await begins(starts)) ?? "";
  const prefix = "template file ./my.mts: ";
  expect([message.slice(0, prefix.length), message.endsWith(remedy)]).toEqual([prefix, true]);
  expect(message.slice(prefix.length)).toMatch(says);
});

test("starts that are no function are refused when the file is read", async () => {
  expect(await begins("[{ tile: 1 }]")).toMatch(
    /^template file \.\/my\.mts: defineTemplate of row: starts is \[\{"tile":1\}\]; it is a function that gives a list of configs$/,
  );
});
