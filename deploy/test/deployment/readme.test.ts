/**
 * Commands in deploy/README.md: their flags, targets, paths and units exist. outside.test.ts runs some of them.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { targetsOf } from "./dockerfile-rules.ts";
import { parseWarpfarm } from "./flag-parsers.ts";
import { commandsIn, listingsOf } from "./listings.ts";
import { at } from "./places.ts";

const page = "deploy/README.md";
const text = readFileSync(at(page), "utf8");
const indented = text
  .split("\n")
  .filter((line) => line.startsWith("    "))
  .join("\n");
const commands = [...listingsOf(page, "bash"), indented].flatMap(commandsIn);
const those = (pattern: RegExp) => commands.flatMap((line) => [...line.matchAll(pattern)].map(([, word = ""]) => word));

describe(page, () => {
  test("every warpfarm command line is one the program takes", async () => {
    const lines = commands.filter((line) => line.startsWith("npx warpfarm "));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) await parseWarpfarm(line.replace("$FARM", "farm.example.com").split(" ").slice(2));
    const [, inImage = ""] = commands.flatMap((line) => /^docker run .* warpfarm\/client:\S+ (.*)$/.exec(line) ?? []);
    expect((await parseWarpfarm(inImage.split(" "))).command).toBe("tune");
    await expect(parseWarpfarm(["nodes", "--trackr", "x:1"])).rejects.toThrow(/unknown option/);
  });

  test("what it builds, applies, starts and installs is there", () => {
    const loop = /for part in (.*); do/.exec(indented)?.[1]?.split(" ") ?? [];
    const targets = targetsOf(readFileSync(at("deploy/docker/Dockerfile"), "utf8"));
    expect([...loop].sort()).toEqual([...targets].sort());
    for (const directory of those(/kubectl apply -k (\S+)/g))
      expect(existsSync(at(`${directory}/kustomization.yaml`)), directory).toBe(true);
    const files = [...those(/(?:-f|cp -r|install -D -m 644) (deploy\/\S+)/g)].filter((path) => !path.includes("*"));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(existsSync(at(file)), file).toBe(true);
    const { services } = parse(readFileSync(at("deploy/compose.yaml"), "utf8"), { merge: true }) as {
      services: Record<string, { profiles?: string[] }>;
    };
    for (const profile of those(/--profile (\S+)/g))
      expect(Object.values(services).flatMap((service) => service.profiles ?? [])).toContain(profile);
    for (const unit of those(/systemctl enable --now (\S+)/g))
      expect(existsSync(at(`deploy/systemd/${unit.replace(/@[^.]*/, "@")}`)), unit).toBe(true);
  });

  test("the pieces of its table exist, and its links", () => {
    const found = (form: RegExp) => [...text.matchAll(form)].map(([, path = ""]) => path);
    const [pieces, links] = [found(/^\| `(kubernetes\/[\w/-]+)` \|/gm), found(/\]\((\.\.\/[^)#]+)\)/g)];
    // A table or a link of another form would be left out.
    expect([pieces.length > 8, links.length > 1]).toEqual([true, true]);
    for (const path of [...pieces, ...links]) expect(existsSync(at(`deploy/${path}`)), path).toBe(true);
  });

  test("the roles of its tokens and the images' versions are the program's", () => {
    const { version } = JSON.parse(readFileSync(at("package.json"), "utf8"));
    expect(
      new Set([...text.matchAll(/(?:\$part|warpfarm-|warpfarm\/client)[:]?(\d+\.\d+\.\d+)/g)].map(([, found]) => found)),
    ).toEqual(new Set([version]));
  });
});
