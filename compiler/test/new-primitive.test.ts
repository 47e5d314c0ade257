/**
 * A new primitive is one file and one line. In a copy of the compiler two toys get their line each in primitives/index.ts, and
 * nothing else is edited: random schedules then make their steps with arguments drawn by their types, which are replayed from
 * JSON, checked by the toy's own rule in inference, lowered, and give what the graphs define.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Random } from "@warpfarm/common";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drawArguments } from "../../test-support/programs/generate.ts";
import { graphs } from "../../test-support/programs/graphs.ts";
import { tiledGraph, tileIntrinsics } from "../../test-support/programs/tiles.ts";
import type { Primitive } from "../src/schedule/define-primitive.ts";
import * as primitives from "../src/schedule/primitives/index.ts";
import { createSchedule } from "../src/schedule/schedule.ts";

interface Report {
  readonly accepted: { readonly halve: number; readonly crowd: number };
  readonly refused: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
  readonly printed: string;
  /** Kernels whose text has the launch bound that crowd asks for. */
  readonly bounds: number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "warpfarm-toys-"));
let report: Report;

beforeAll(() => {
  for (const part of ["package.json", "compiler/package.json", "compiler/src", "compiler/test", "test-support/programs"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const index = join(folder, "compiler/src/schedule/primitives/index.ts");
  for (const toy of ["halve", "crowd"]) appendFileSync(index, `export { ${toy} } from "../../../test/toys/${toy}.ts";\n`);
  const walk = join(folder, "compiler/test/toys/walk.ts");
  const out = execFileSync(process.execPath, ["--import", import.meta.resolve("tsx"), walk], { encoding: "utf8" });
  report = JSON.parse(out) as Report;
});
afterAll(() => rmSync(folder, { recursive: true }));

it("a primitive that only changes the description is drawn, recorded, printed, replayed and right", () => {
  expect(report.wrong).toEqual([]);
  expect(report.accepted.halve).toBeGreaterThanOrEqual(5);
  expect(report.printed).toMatch(/^const \[l\d+, l\d+\] = sch\.halve\(l\d+\);$/);
});

it("a primitive that asks brings its own rule to inference and its request to the text", () => {
  expect(report.accepted.crowd).toBeGreaterThanOrEqual(5);
  expect(report.refused["crowd.sum"]).toBeGreaterThanOrEqual(1);
  expect(report.bounds).toBeGreaterThanOrEqual(3);
});

it("every primitive's arguments are drawn by their types, and some of them are accepted", () => {
  const subjects = [tiledGraph(), ...Object.values(graphs).map((make) => make())];
  const refused = Object.values<Primitive>(primitives).filter((primitive) => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = new Random(seed);
      const schedule = createSchedule(random.pick(subjects), tileIntrinsics);
      if (random.below(2) === 0) schedule.cacheWrite(random.pick(schedule.state.stages).ref, "local");
      const values = drawArguments(primitive, schedule.state, random, tileIntrinsics);
      if (values && schedule.step(primitive, values).ok) return false;
    }
    return true;
  });
  expect(refused.map(({ name }) => name)).toEqual([]);
});
