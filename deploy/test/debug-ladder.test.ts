/**
 * WARPFARM_DEBUG, WARPFARM_DUMP and WARPFARM_CHECK as a user sets them, for the command line's own lowering and for a builder's
 * child.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { quickTune, tinyTask } from "./faults/campaign.ts";
import { Place, run } from "./warpfarm-process.ts";

const slow = { timeout: 300_000 };

function place(extra: Readonly<Record<string, string>>): Place {
  const made = new Place(extra);
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}
/** A line of a lowering begins with twelve digits of the program's digest. */
const told = (stderr: string) => [...stderr.matchAll(/^(?:\[builder\] )?[0-9a-f]{12} (.*)$/gm)].map(([, line]) => line ?? "");
const kinds = (lines: readonly string[]) => ({
  times: lines.some((line) => /^pass simplify: [\d.]+ ms/.test(line)),
  trace: lines.includes("trace:"),
  text: lines.some((line) => line.includes("#pragma omp parallel for")),
  ir: lines.includes("after simplify:"),
});

test.each([
  [1, { times: false, trace: false, text: false, ir: false }],
  [2, { times: true, trace: false, text: false, ir: false }],
  [3, { times: true, trace: true, text: false, ir: false }],
  [4, { times: true, trace: true, text: true, ir: false }],
  [5, { times: true, trace: true, text: true, ir: true }],
])("WARPFARM_DEBUG=%i on lower", slow, async (level, expected) => {
  const at = place({ WARPFARM_DEBUG: String(level) });
  const { code, stdout, stderr } = await command(at, ["lower", "conv2d_nchw_cpu", "--index", "0"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("#pragma omp parallel for");
  expect(kinds(told(stderr))).toEqual(expected);
});

test("WARPFARM_DUMP on lower: a folder for each program, a file for each pass", slow, async () => {
  const at = place({});
  const dumping = place({ WARPFARM_DUMP: at.path("dump"), WARPFARM_CHECK: "1" });
  const { code, stdout, stderr } = await command(dumping, ["lower", "conv2d_nchw_cpu", "--index", "0"]);
  expect(code, stderr).toBe(0);
  const [program = ""] = readdirSync(at.path("dump"));
  const files = readdirSync(at.path(`dump/${program}`)).sort();
  expect(files[0]).toBe("000_nest.tir");
  expect(readFileSync(at.path(`dump/${program}/${files.at(-1)}`), "utf8")).toBe(stdout);
  expect(told(stderr)).toEqual([`${files.length} files in ${at.path(`dump/${program}`)}`]);
});

test("a dump that cannot be written is said, and the command goes on; a wrong value is refused", slow, async () => {
  const at = place({});
  writeFileSync(at.path("file"), "");
  const lower = ["lower", "conv2d_nchw_cpu", "--index", "0", "--emit", "launch"];
  const blocked = await command(place({ WARPFARM_DUMP: at.path("file") }), lower);
  expect(blocked.code).toBe(0);
  expect(blocked.stderr).toMatch(/WARPFARM_DUMP=\S+ cannot be written: /);
  const wrong = await run(place({ WARPFARM_CHECK: "yes" }), lower);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('WARPFARM_CHECK is "yes"; it takes 0 or 1');
});

test("level 5 and a dump in a farm's builder: as in the command line", slow, async (ctx) => {
  needs(ctx, "cc");
  const dumps = place({});
  const at = place({ WARPFARM_DEBUG: "5", WARPFARM_DUMP: dumps.path("dump"), WARPFARM_CHECK: "1" });
  const tuned = await command(at, ["tune", ...tinyTask, ...quickTune, "--trials", "1"]);
  expect(tuned.code, tuned.stderr).toBe(0);
  const lines = told(tuned.stderr);
  expect(kinds(lines)).toEqual({ times: true, trace: true, text: true, ir: true });
  expect(lines).toContainEqual(expect.stringMatching(/^compile: [\d.]+ ms$/));
  expect(readdirSync(dumps.path("dump")).length).toBeGreaterThanOrEqual(1);
});
