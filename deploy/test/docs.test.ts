/**
 * Everything that the documents name exists: files and folders, sections that links and comments point to, commands with their
 * flags, npm scripts and environment variables. Recorded output, which may show a wrong flag, is not checked.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { createProgram, registerCommands, sharedOf } from "@warpfarm/client/cli";
import { defaultMeasureOptions } from "@warpfarm/common";
import { operators, templates } from "@warpfarm/templates";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { spread } from "../../scripts/results/readme-table.mjs";
import { withTimes } from "../../scripts/tutorial-times.mjs";
import { surroundings } from "../src/cli/surroundings.ts";
import { commands } from "../src/main.ts";
import { command } from "./command.testing.ts";
import { bin, Place } from "./warpfarm-process.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 })
  .trim()
  .split("\n")
  .filter((file) => existsSync(join(root, file)));
/** Documents for users and developers. Changelog and decisions may name what no longer exists. */
const documents = tracked.filter((file) => /^(README|CONTRIBUTING)\.md$|^docs\/(?!adr\/).*\.md$|^deploy\/.*\.md$/.test(file));
const folders = new Set(tracked.filter((file) => file.includes("/")).map((file) => file.slice(0, file.indexOf("/"))));

const withoutListings = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "");
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[`*]/g, "")
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
const headings = (file: string) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);

/** "src/a.ts", or the folder of "src/*", of "src/x.ts" and of "src/NNNN-name.ts", which are placeholders. */
function exists(path: string): boolean {
  const [before = ""] = path.split(/[*{<]|\bx(?=\.|\/$)|NNNN/);
  const start = before.endsWith("/") || before === path ? before : dirname(before);
  return existsSync(join(root, start));
}

describe.each(documents)("%s", (document) => {
  const text = read(document);
  test("leads to files and sections that are there", () => {
    const links = [...withoutListings(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, to = ""]) => to);
    const broken = links.filter((to) => {
      const [path = "", section] = to.split("#");
      const file = path === "" ? document : normalize(join(dirname(document), path));
      if (!existsSync(join(root, file))) return true;
      return section !== undefined && !headings(file).map(anchorOf).includes(section);
    });
    expect(broken).toEqual([]);
  });
  test("names files and folders that are there", () => {
    const words = [...withoutListings(text).matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
    const paths = words.filter(
      (word) => /^[\w.@-]+\/[\w./*{}<>,@-]*$/.test(word) && folders.has(word.slice(0, word.indexOf("/"))),
    );
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });
  test("says how the command came to where npx runs it", () => {
    // Without it, npx runs whatever the public registry has under this name.
    const isSaid = /\(\S*#installing-the-command\)|npm install \.\/warpfarm-[\d.]+tgz/.test(text);
    expect(isSaid || !/npx warpfarm/.test(text)).toBe(true);
  });
  test("names npm scripts that are there", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

/** Command lines of listings (in console listings only typed lines) and of inline code. */
function commandLines(text: string): string[] {
  const listings = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].flatMap(([, , language, body = ""]) => {
    const lines = body.replace(/\\\n\s*/g, " ").split("\n");
    return language === "console" ? lines.filter((line) => line.startsWith("$ ")) : lines;
  });
  const indented = [...withoutListings(text).matchAll(/^ {4}(.*)$/gm)].map(([, line = ""]) => line);
  const words = [...withoutListings(text).matchAll(/`((?:npx )?warpfarm [^`]+)`/g)].map(([, line = ""]) => line);
  return [...listings, ...indented, ...words].flatMap((line) =>
    line
      .replace(/\s#.*$/, "")
      .split(/\||;|&&|\bdo\b/)
      .flatMap((part) => (/kubectl|docker/.test(part) ? [] : (/(?:^|\s)(?:npx )?warpfarm\s+([a-z].*)$/.exec(part)?.[1] ?? []))),
  );
}

describe("command lines", () => {
  let program: Command;
  beforeAll(async () => {
    const { context } = surroundings(join(root, "bin/warpfarm.js"));
    program = createProgram(context, "0");
    await registerCommands(program, context, commands, ["completion"]);
  });
  /** What is wrong with a command line; undefined when its command exists and has its flags. */
  const fault = (line: string): string | undefined => {
    const [name = "", ...words] = line.trim().split(/\s+/);
    let command = program.commands.find((each) => each.name() === name);
    if (name === "help" || name === "completion") return undefined;
    if (!command) return `no command ${name}: ${line}`;
    const [second] = words;
    command = command.commands.find((each) => each.name() === second) ?? command;
    const known = [...command.options, ...sharedOf(command)].flatMap(({ long, short }) => [long, short]);
    const flags = words.flatMap((word) => /^(--[a-z][\w-]*|-[a-z])(?:=|$)/.exec(word)?.[1] ?? []);
    const unknown = flags.filter(
      (flag) => !known.includes(flag) && flag !== "--help" && flag !== "--help-all" && flag !== "--version",
    );
    return unknown.length > 0 ? `${command.name()} has no ${unknown.join(", ")}: ${line}` : undefined;
  };
  // A tutorial of mistakes shows some.
  const mistakes = [/matmul_derivd/, /--trails/];
  test.each(documents)("of %s", (document) => {
    const lines = commandLines(read(document)).filter((line) => !mistakes.some((mistake) => mistake.test(line)));
    expect(lines.flatMap((line) => fault(line) ?? [])).toEqual([]);
  });
  test.each(documents)("that %s names in passing, such as `tune --resume LOG`", (document) => {
    const lines = [...withoutListings(read(document)).matchAll(/`([a-z]+ [^`\n]*--[^`\n]*)`/g)].map(([, line = ""]) => line);
    const ours = lines.filter((line) => program.commands.some((command) => command.name() === line.split(" ")[0]));
    expect(ours.flatMap((line) => fault(line) ?? [])).toEqual([]);
  });
  test("of README are looked at", () => {
    expect(commandLines(read("README.md")).length).toBeGreaterThan(10);
    expect(fault("tune x --trails 3")).toMatch(/tune has no --trails/);
    expect(fault("tuen x")).toMatch(/no command tuen/);
  });
});

test.each([
  "results-page.mjs",
  "reference-pages.mjs",
  "fairness.mjs",
  "tutorial.mjs",
])("the pages that scripts/%s makes are current", (script) => {
  const program = script === "tutorial.mjs" ? ["--program", bin()] : [];
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, "scripts", script), "--check", ...program], {
    encoding: "utf8",
  });
  expect(`${stdout}${stderr}`).not.toContain("is not what");
  expect(status).toBe(0);
});

test("every rule that a test of the compiler sees is on the page of rules", () => {
  const page = read("docs/rules.md");
  const primitives = new Set(headings("docs/primitives.md"));
  const seen = tracked
    .filter((file) => /^compiler\/.*\.test\.ts$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/"(([a-z]\w+)\.(\w+))"/gi)])
    .filter(([, , primitive = ""]) => primitives.has(primitive));
  expect(seen.length).toBeGreaterThan(100);
  /** Whose rules other steps have too, because they do the same, such as tile. */
  const shared = ["PRIMITIVE", "split", "reorder", "fuse"];
  const isListed = ([, , primitive, kind]: RegExpMatchArray) =>
    [primitive, ...shared].some((group) => page.includes(`\`${group}.${kind}\``));
  expect(seen.filter((rule) => !isListed(rule)).map(([, id]) => id)).toEqual([]);
});

test("figures of the README's table stand on the page of results, which other code makes", () => {
  const [, table = ""] = /<!-- results -->([\s\S]*)<!-- end of results -->/.exec(read("README.md")) ?? [];
  const figuresOf = (text: string) => [...text.matchAll(/\d+\.\d+/g)].map(([figure]) => figure);
  const page = read("docs/results.md");
  const [figures, known] = [figuresOf(table), new Set(figuresOf(page))];
  expect(figures.length).toBeGreaterThan(30);
  expect(figures.filter((figure) => !known.has(figure))).toEqual([]);
  // Of rows of shapes the page says the mean in a sentence.
  const means = [...page.matchAll(/geometric mean (?:is )?(\d+\.\d+x)/g)].map(([, mean]) => mean);
  const shown = table
    .split("\n")
    .filter((line) => /products of transformers|convolutions, fp16/.test(line))
    .flatMap((line) => line.split(" | ")[1]?.split(";")[0] ?? [])
    .flatMap((cell) => [...cell.replace(/\([^)]*\)/g, "").matchAll(/\d+\.\d+x/g)].map(([mean]) => mean));
  expect(shown).toHaveLength(4);
  expect(shown.filter((mean) => !means.includes(mean))).toEqual([]);
});

test("a row of many ratios says in how many we are as fast, and each of the others", () => {
  expect(spread([4.833, 1.1, 1, 2])).toBe("1.00x to 4.83x the speed in all 4");
  expect(spread([2, 0.97, 1, 4.5, 0.8])).toBe("1.00x to 4.50x the speed in 3, 0.97x, 0.80x in 2");
  expect(spread([0.97, 0.8])).toBe("0.80x to 0.97x the speed in all 2");
});

test("pages that say the defaults of a measurement have those of the code", () => {
  const [gpu, cpu] = ["cuda", "cpu"].map((backend) => defaultMeasureOptions(backend));
  const [long, longer] = ["cuda", "cpu"].map((backend) => defaultMeasureOptions(backend, "sustained").minRepeatMs);
  const page = read("docs/reference/measurement.md");
  expect(cpu?.cooldownMs).toBe(0);
  for (const row of [
    `| \`repeat\` | ${gpu?.repeat}; \`as_asked\` ${defaultMeasureOptions("cuda", "as_asked").repeat} |`,
    `| \`precision\` | ${gpu?.precision}; \`as_asked\` ${defaultMeasureOptions("cuda", "as_asked").precision} |`,
    `| \`minRepeatMs\` | GPU ${gpu?.minRepeatMs}, CPU ${cpu?.minRepeatMs}; not in bursts: ${long}, ${longer} |`,
    `| \`runTimeoutMs\` | ${gpu?.runTimeoutMs.toLocaleString("en")} |`,
    `| \`buildTimeoutMs\` | ${gpu?.buildTimeoutMs.toLocaleString("en")} |`,
    `| \`cooldownMs\` | GPU in bursts ${gpu?.cooldownMs}, otherwise 0 |`,
  ])
    expect(page).toContain(row);
  const contracts = read("docs/contracts.md").replaceAll("\n", " ");
  for (const words of [
    `repeat at most ${gpu?.repeat}, precision ${gpu?.precision}, power burst, min_repeat ${gpu?.minRepeatMs} ms (cpu ${cpu?.minRepeatMs})`,
    `cooldown ${gpu?.cooldownMs} ms (cpu 0)`,
  ])
    expect(contracts).toContain(words);
});

test("docs/contracts.md has the step of every primitive in its table, and no other", () => {
  const [, table = ""] = /^\| op \| in \| args \| out \|\n\| --- .*\n((?:\| .*\n)+)/m.exec(read("docs/contracts.md")) ?? [];
  const listed = [...table.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  const [, ...primitives] = headings("docs/primitives.md");
  const steps = primitives.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(listed.toSorted()).toEqual(steps.toSorted());
});

test("sections of reference pages that comments name are there", () => {
  const named = tracked
    .filter((file) => /\.(ts|mjs|md)$/.test(file) && !file.startsWith("docs/reference/"))
    .flatMap((file) => {
      const text = read(file).replace(/\n\s*(?:\*|\/\/) ?/g, " ");
      return [...text.matchAll(/docs\/reference\/([\w-]+)\.md(?: (\d+(?:\.\d+)?))?/g)].map(([all, page = "", section]) => ({
        file,
        all,
        page: `docs/reference/${page}.md`,
        section,
      }));
    });
  expect(named.length).toBeGreaterThan(40);
  const wrong = named.filter(({ page, section }) => {
    if (!tracked.includes(page)) return true;
    if (section === undefined) return false;
    return !new RegExp(`^(#+ |\\*\\*)${section.replace(".", "\\.")}[. ]`, "m").test(read(page));
  });
  expect(wrong.map(({ file, all }) => `${file}: ${all}`)).toEqual([]);
});

test("environment variables that documents name are read somewhere", () => {
  const code = tracked
    .filter(
      (file) =>
        /^(\w+\/src\/|bin\/|scripts\/|test-support\/|bench\/|deploy\/).*\.(ts|mjs|js|yaml|yml|sh)$/.test(file) ||
        file === ".ci/run",
    )
    .map(read)
    .join("\n");
  const named = documents.flatMap((file) => [...read(file).matchAll(/\bWARPFARM_[A-Z_]+\b/g)].map(([name]) => ({ file, name })));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ name }) => !code.includes(name))).toEqual([]);
});

test("the template of docs/from-autotvm.md has the space that AutoTVM gives it, and its schedules hold", async () => {
  const [, code = ""] = /```ts\n\/\/ matmul\.ts\n([\s\S]*?)```/.exec(read("docs/from-autotvm.md")) ?? [];
  using place = new Place();
  writeFileSync(place.path("matmul.ts"), code);
  const warpfarm = async (...args: string[]) => {
    const said = await command(place, args);
    expect(said.code, said.stderr).toBe(0);
    return said.stdout;
  };
  const { size } = JSON.parse(await warpfarm("space", "./matmul.ts", "--target", "cpu/x86-64-v3", "--json"));
  expect(size).toBe(7 * 7 * 2);
  // 11 = 4 + 7 * 1: of 64 into two, the fifth is [-1, 16], the second [-1, 2] (docs/reference/autotvm.md 1.1).
  const text = await warpfarm("space", "./matmul.ts", "--target", "cpu/x86-64-v3", "--index", "11");
  expect(text).toMatch(/tile_y\s*\[-1,\s*16\]/);
  expect(text).toMatch(/tile_x\s*\[-1,\s*2\]/);
  expect(await warpfarm("check", "./matmul.ts", "--samples", "6")).toMatch(/6 sound, 0 faulty/);
});

test("the lines of TypeScript of docs/tutorial.md are lines of the files that it names, in their order", () => {
  const blocks = [...read("docs/tutorial.md").matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)];
  expect(blocks).toHaveLength(7);
  const strange = blocks.flatMap(([, file = "", body = ""]) => {
    const lines = read(file)
      .split("\n")
      .map((line) => line.trim());
    let from = 0;
    return body
      .trim()
      .split("\n")
      .filter((line) => {
        const at = lines.indexOf(line.trim(), from);
        if (at >= 0) from = at + 1;
        return at < 0;
      });
  });
  expect(strange).toEqual([]);
});

test("docs/tutorial.md has a table of times where steps were measured, and none before", () => {
  const page = "before\n<!-- times -->\n<!-- end of times -->\nafter\n";
  expect(withTimes(page)).toBe(page);
  const steps = [
    { step: 1, dtype: "float32", n: 512, us: 1_234.5, gflops: 500 },
    { step: 6, dtype: "float16", n: 512, us: 999.96, gflops: 430_250 },
  ];
  const made = withTimes(page, { device: { name: "NVIDIA H100" }, date: "2026-11-28T01:02:03.000Z", figures: { steps } });
  expect(made).toContain("Measured on one NVIDIA H100, 2026-11-28, at 512 x 512 x 512");
  expect(made).toContain("\n| 1 | float32 | 1.23 ms | 0.5 TFLOPS | 1.0 |\n| 6 | float16 | 1000.0 us | 430.3 TFLOPS | 860.5 |\n");
  expect(made.startsWith("before\n<!-- times -->\n\n")).toBe(true);
  expect(withTimes(made)).toBe(page);
  expect(() => withTimes("no marks")).toThrow("marks");
});

test("docs/which-template.md begins with the operators, and names every template and nothing else of that kind", () => {
  const text = read("docs/which-template.md");
  const [, first = ""] = /^## Operators\n([\s\S]*?)^## /m.exec(text) ?? [];
  expect(headings("docs/which-template.md")[1]).toBe("Operators");
  for (const { name } of operators) expect(first).toContain(`| \`${name}\` |`);
  const parts = text.split(/^## Templates of /m).slice(1);
  // Each operator's table has its templates, in the rows' second column.
  const listed = parts.map((part) => [...part.matchAll(/^\| [^|]* \| `([^`]+)` \|/gm)].map(([, name]) => name));
  const named = (operator: string) => operators.find(({ name }) => name === operator)?.templates.map(({ name }) => name) ?? [];
  expect(listed.map((names) => names.toSorted())).toEqual(
    ["matmul", "conv2d", "attention"].map((operator) => named(operator).toSorted()),
  );
  expect(templates.filter(({ name }) => !text.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
});

test("docs/README.md leads to every page of docs", () => {
  const text = read("docs/README.md");
  const pages = tracked.filter((file) => /^docs\/(?:[\w-]+|reference\/[\w-]+)\.md$/.test(file) && file !== "docs/README.md");
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((file) => !text.includes(`](${file.slice("docs/".length)})`))).toEqual([]);
});

test("the intrinsic of docs/intrinsics.md can be declared", async () => {
  const [, code = ""] = /```ts\n(const load = [\s\S]*?)```/.exec(read("docs/intrinsics.md")) ?? [];
  const warpfarm = (await import("../../index.js")) as Readonly<Record<string, unknown>>;
  const names = ["defineIntrinsic", "placeholder", "graphOf", "elementwise"];
  const made = new Function(...names, `${code}; return load;`)(...names.map((name) => warpfarm[name]));
  expect(made).toMatchObject({ name: "load_a", agent: "warp" });
});
