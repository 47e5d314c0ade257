/**
 * Templates in a user's own file, outside the repository: every listing of docs/writing-a-template.md in order, as a reader would run them, with
 * the real command line; and what is said of files that are wrong.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { Place, run } from "./warpfarm-process.ts";

const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Listing {
  readonly language: string;
  readonly text: string;
}
const listings: readonly Listing[] = [...read("docs/writing-a-template.md").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

/** Words of a command line, single quotes as the shell takes them. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

function place(): Place {
  const made = new Place();
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}

test("every listing of docs/writing-a-template.md runs, and prints what stands there", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc");
  const here = place();
  let said: string[] = [];
  const counts = { ts: 0, sh: 0, text: 0 };
  for (const { language, text } of listings) {
    counts[language as keyof typeof counts]++;
    if (language === "ts") writeFileSync(here.path(/^\/\/ (\S+)\n/.exec(text)?.[1] ?? ""), text);
    else if (language === "text") expect(said.shift()).toBe(text);
    else {
      said = [];
      for (const line of text.trimEnd().split("\n")) {
        const [npx, warpfarm, ...args] = words(line);
        expect([npx, warpfarm]).toEqual(["npx", "warpfarm"]);
        const { code, stdout, stderr } = await run(here, args);
        expect(code, `${line}\n${stderr}`).toBe(0);
        said.push(stdout);
      }
    }
  }
  expect(counts).toMatchObject({ ts: 4, sh: 6, text: 1 });
  expect(readFileSync(here.path("dense.jsonl"), "utf8").match(/"sequence":/g)).toHaveLength(4);
  expect(await run(here, ["best", "dense.jsonl", "--emit", "c"])).toMatchObject({
    code: 2,
    stderr:
      "warpfarm best: the log is of dense_relu, which does not come with Warpfarm; --task names the file of a template of your own\n",
  });
});

test("the example is the page's last version of its template", () => {
  const body = (text: string) => text.slice(text.indexOf("import {"));
  const last = listings.filter(({ language, text }) => language === "ts" && text.startsWith("// my-template.ts")).at(-1);
  expect(body(read("examples/dense-relu.ts"))).toBe(body(last?.text ?? ""));
});

describe("a file that is wrong", () => {
  const head = 'import { defineTemplate, whole } from "@warpfarm/client";\n';
  const rest = 'name: "mine", summary: "s", targets: ["cpu"], args: { n: whole(4) }, space: () => ({}), schedule: () => {}';
  const files: readonly (readonly [string, string, string])[] = [
    ["syntax.ts", "export const a = 1;\nlet x = ;\n", 'Unexpected ";" (syntax.ts line 2, column 9)'],
    ["none.ts", "export const a = 1;\n", "it exports only a; export what defineTemplate of @warpfarm/client returns"],
    ["empty.js", "\n", "it exports nothing; export what defineTemplate of @warpfarm/client returns"],
    [
      "throws.ts",
      "const a: { b?: { c: 1 } } = {};\n\nexport const d = a.b.c;\n",
      "TypeError: Cannot read properties of undefined (reading 'c') (throws.ts line 3)",
    ],
    [
      "part.mjs",
      `${head}\nexport const t = defineTemplate({ ${rest} });\n`,
      "defineTemplate of mine: graph is missing; it is a function (part.mjs line 3)",
    ],
    [
      "target.mjs",
      `${head}export const t = defineTemplate({ ${rest}, graph: () => 0, targets: ["tpu"] });\n`,
      'defineTemplate of mine: targets is ["tpu"]; it is a list of cpu and cuda (target.mjs line 2)',
    ],
    [
      "graph.ts",
      `${head}export const t = defineTemplate({ ${rest},\n  graph: () => undefinedName as never });\n`,
      "ReferenceError: undefinedName is not defined (graph.ts line 3)",
    ],
    [
      "package.ts",
      'import { x } from "no-such-package";\nx();\n',
      'Could not resolve "no-such-package" (package.ts line 1, column 19)',
    ],
    [
      "private.ts",
      'import * as t from "@warpfarm/tracker";\nexport const a = t;\n',
      "@warpfarm/tracker is not for templates; they import from @warpfarm/client, @warpfarm/compiler, @warpfarm/common (private.ts line 1, column 20)",
    ],
    [
      "two.ts",
      `${head}const t = (name: string) => defineTemplate({ ${rest}, graph: () => 0 as never, name });\nexport const a = t("a"), b = t("b");\n`,
      "it exports 2 templates, a, b; make one the default export",
    ],
    [
      "taken.ts",
      `${head}export const t = defineTemplate({ ${rest}, graph: () => 0 as never, name: "matmul_cpu" });\n`,
      "its template is named matmul_cpu, as one that comes with Warpfarm; give it another name",
    ],
  ];
  /** One process for all: what loadTemplate and createTask say of each. */
  const script = `
    import { createTask, loadTemplate } from "@warpfarm/client";
    const said = {};
    for (const path of process.argv.slice(1)) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      try { createTask(await loadTemplate(path, name), {}, "cpu/x86-64-v3"); said[name] = "taken"; }
      catch (error) { said[name] = error.code + " " + error.message; }
    }
    console.log(JSON.stringify(said));`;

  test("is refused in one sentence that names it, and the line", () => {
    const here = place();
    for (const [name, text] of files) writeFileSync(here.path(name), text);
    mkdirSync(here.path("folder.ts"));
    const paths = [...files.map(([name]) => name), "folder.ts", "absent.ts"].map((name) => here.path(name));
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script, ...paths], { cwd: root, encoding: "utf8" });
    const expected = [...files, ["folder.ts", "", "it is not a file"], ["absent.ts", "", "there is no such file"]] as const;
    expect(JSON.parse(said)).toEqual(
      Object.fromEntries(expected.map(([name, , sentence]) => [name, `INVALID_ARGUMENT template file ${name}: ${sentence}`])),
    );
  });
});
