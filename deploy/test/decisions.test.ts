/** What lint says of docs/adr (scripts/decisions.mjs), on a small repository. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/decisions.mjs", import.meta.url));
const first = "docs/adr/0001-one.md";
const index = "docs/adr/README.md";
let root = "";
const write = (file: string, text: string) => writeFileSync(join(root, file), text);
const run = (...words: string[]) => {
  const { stdout, status } = spawnSync(process.execPath, [script, root, ...words], { encoding: "utf8" });
  return { status, said: stdout.trim().split("\n") };
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  execFileSync("git", ["init", "--quiet", root]);
  mkdirSync(join(root, "docs/adr"), { recursive: true });
  write(first, "# 1. One thing\n\nStatus: superseded by [12](0012-two.md), 2026-01-31\n\nText.\n");
  write("docs/adr/0012-two.md", "# 12. Another\n\nStatus: accepted, 2026-02-01; holds what 3 decided\n\nSee ADR 1.\n");
  write(
    index,
    "# Decisions\n\n| number | decision | status |\n| --- | --- | --- |\n" +
      "| [1](0001-one.md) | One thing | superseded by [12](0012-two.md), 2026-01-31 |\n" +
      "| [12](0012-two.md) | Another | accepted, 2026-02-01 |\n\nThe end.\n",
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("decisions with status and entry are in order", () => {
  expect(run()).toEqual({ status: 0, said: [""] });
});

test.each([
  ["no status", "# 1. One thing\n\nText.\n"],
  ["a status without a day", "# 1. One thing\n\nStatus: accepted\n"],
  ["a status that nobody knows", "# 1. One thing\n\nStatus: proposed, 2026-01-31\n"],
  ["a superseded one without what supersedes it", "# 1. One thing\n\nStatus: superseded, 2026-01-31\n"],
])("%s is refused", (_, text) => {
  write(first, text);
  const { status, said } = run();
  expect(status).toBe(1);
  expect(said[0]).toContain(`${first}: line 3`);
});

test("another number in the title than in the name is refused", () => {
  write(first, readFileSync(join(root, first), "utf8").replace("# 1.", "# 2."));
  expect(run()).toMatchObject({ status: 1, said: [expect.stringContaining(`${first}: line 1`)] });
});

test("one that the index lacks, or has with an older status, is refused until the index is written", () => {
  write("docs/adr/0013-three.md", "# 13. Third\n\nStatus: accepted, 2026-02-02\n");
  expect(run()).toMatchObject({ status: 1, said: [expect.stringContaining(index)] });
  expect(run("--write").status).toBe(0);
  expect(run()).toEqual({ status: 0, said: [""] });
  const text = readFileSync(join(root, index), "utf8");
  expect(text).toContain("| [12](0012-two.md) | Another | accepted, 2026-02-01 |\n| [13](0013-three.md) | Third |");
  expect(text.endsWith("\n\nThe end.\n")).toBe(true);
  write("docs/adr/0013-three.md", "# 13. Third\n\nStatus: superseded by [12](0012-two.md), 2026-02-03\n");
  expect(run()).toMatchObject({ status: 1, said: [expect.stringContaining(index)] });
});

test("an index entry without a file is refused", () => {
  write(
    index,
    readFileSync(join(root, index), "utf8").replace(
      "\n\nThe end",
      "\n| [14](0014-gone.md) | Gone | accepted, 2026-01-01 |\n\nThe end",
    ),
  );
  expect(run()).toMatchObject({ status: 1, said: [expect.stringContaining(index), expect.stringContaining("0014-gone.md")] });
});

test.each([
  ["by its number", "a.ts", "// Why: ADR 3.\n", "a.ts: names ADR 3"],
  ["by its number on the next line", "a.md", "as decided (ADR\n99) and so on\n", "a.md: names ADR 99"],
  ["by its file", "b.md", "[why](docs/adr/0003-gone.md)\n", "b.md: leads to docs/adr/0003-gone.md"],
  [
    "by its file from another decision",
    "docs/adr/0012-two.md",
    "# 12. Another\n\nStatus: accepted, 2026-02-01\n\n[3](0003-gone.md)\n",
    "0003-gone.md",
  ],
])("a decision that is gone and named %s is refused", (_, file, text, wanted) => {
  write(file, text);
  const { status, said } = run();
  expect(status).toBe(1);
  expect(said.join("\n")).toContain(wanted);
});
