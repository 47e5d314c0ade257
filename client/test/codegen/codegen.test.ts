/**
 * The text and the manifests of the whole corpus are unchanged to the byte. `npm run codegen-diff` shows the effect of a change
 * on them, and `npm run codegen-diff -- --write` accepts it. One program of each template is kept as text, to be read when it
 * changes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findTemplate } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { wrongAfterPasses } from "../../../test-support/programs/every-pass.ts";
import {
  type Case,
  corpus,
  goldenCase,
  pinned,
  randomSchedules,
  refusalOf,
  shortDigest,
  targetsOf,
  templateCases,
  textOf,
} from "./corpus.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const digests: Readonly<Record<string, string>> = JSON.parse(readFileSync(here("digests.json"), "utf8"));

const ofOtherDevices = 2;

/** A walk of moves takes as long as the text that it leads to. */
const randoms = isFull ? randomSchedules : 100;

/**
 * Every fourth program of each template for its usual device, for other devices the first ones, and all random schedules. The
 * campaign and codegen-diff take all.
 */
function chosen(all: readonly Case[]): readonly Case[] {
  if (isFull) return all;
  const usual = ["cuda", "cpu"].map((kind) => targetsOf(kind)[0]);
  const counts = new Map<string, number>();
  return all.filter(({ id }) => {
    const [name, target] = [id.split(" ")[0], id.split(" ").at(-1)];
    const group = name === "random" ? name : `${name} ${target}`;
    const before = counts.get(group) ?? 0;
    counts.set(group, before + 1);
    return name === "random" || (usual.includes(target) ? before % 4 === 0 : before < ofOtherDevices);
  });
}

it("every program of the corpus has the text and the manifest it had; what is valid is lowered without a refusal", () => {
  // The walk that finds the configs anew takes as long as half of the programs. It is the campaign's, and codegen-diff's.
  const programs = [...corpus(isFull ? [] : Object.keys(digests), randoms)];
  const made = new Set(programs.map(({ id }) => id));
  const isLeftOut = (id: string) => !isFull && id.startsWith("random ") && !made.has(id);
  expect(made).toEqual(new Set(Object.keys(digests).filter((id) => !isLeftOut(id))));
  const compared = chosen(programs);
  expect(compared.length).toBeGreaterThan(400);
  const texts = compared.map((each) => [each, textOf(each.program)] as const);
  const refused = texts.filter(([, text]) => text.startsWith("refused: "));
  expect(refused.filter(([each]) => each.isValid).map(([{ id }]) => id)).toEqual([]);
  const changed = texts.filter(([{ id }, text]) => shortDigest(text) !== digests[id]);
  expect(
    changed.map(([{ id }]) => id),
    "npm run codegen-diff shows how the first one differs",
  ).toEqual([]);
});

/** The one that the file names: to look for it anew takes every text of the template. */
function keptCase(file: string, name: string, target: string): Case {
  const kept = existsSync(file) && process.env.WARPFARM_GOLDEN !== "write" ? readFileSync(file, "utf8").split("\n")[0] : "";
  for (const entry of templateCases(name, target)) if (`// ${entry.id}` === kept) return entry;
  return goldenCase(name, target);
}

const pairs = pinned.flatMap(({ name, template }) =>
  findTemplate(template).targets.map(({ kind }): [name: string, target: string] => [name, targetsOf(kind)[0] as string]),
);

const goldenOf = (name: string, target: string): string =>
  `${name.replace(/\W/g, "_")}.${target.startsWith("cuda") ? "cu" : "c"}`;

it("there is no golden of a template that is gone", () => {
  const known = new Set(pairs.map(([name, target]) => goldenOf(name, target)));
  expect(readdirSync(here("golden")).filter((file) => !known.has(file))).toEqual([]);
});

describe.each(pairs)("%s for %s", (name, target) => {
  it("is printed as its golden says", () => {
    const file = here(`golden/${goldenOf(name, target)}`);
    const { id, program } = keptCase(file, name, target);
    const text = `// ${id}\n${textOf(program)}`;
    if (process.env.WARPFARM_GOLDEN === "write") {
      mkdirSync(here("golden"), { recursive: true });
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  it("keeps the rules of its dialect after every pass", () => {
    // The default schedule and the published config, or a seeded one: all of them in the campaign.
    const some: Case[] = [];
    for (const entry of templateCases(name, target)) if (some.push(entry) === 2 && !isFull) break;
    const wrong = some.map(({ id, program }) => [id, program.kind === "schedule" ? wrongAfterPasses(program) : "no schedule"]);
    // A config that cannot run, for its registers say, is refused: everybody is told that, and it keeps the rules.
    const refusals = new Map(some.map(({ id, program }) => [id, () => refusalOf(program)]));
    expect(wrong.filter(([id = "", what]) => what !== undefined && what !== refusals.get(id)?.())).toEqual([]);
  });
});
