/**
 * The Dockerfiles: checked by our rules, the rules themselves tested on bad files, and all input files exist in the repository.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandOf, lintDockerfile, targetsOf } from "./dockerfile-rules.ts";
import { parseWarpfarm } from "./flag-parsers.ts";
import { at } from "./places.ts";

const dockerfile = readFileSync(at("deploy/docker/Dockerfile"), "utf8");
const workspaces: readonly string[] = JSON.parse(readFileSync(at("package.json"), "utf8")).workspaces;

describe("Dockerfile", () => {
  test("keeps the rules", () => expect(lintDockerfile(dockerfile)).toEqual([]));

  test("has an image for each part", () =>
    expect(targetsOf(dockerfile)).toEqual(["tracker", "client", "builder-cpu", "runner-cpu", "builder-cuda", "runner-cuda"]));

  test("each image's default arguments are ones the program takes", async () => {
    for (const target of targetsOf(dockerfile)) await parseWarpfarm(commandOf(dockerfile, target));
  });

  test("the manifest of every package is there before npm ci, and all it copies exists and is not ignored", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));
    for (const name of workspaces) expect(copied).toContain(`${name}/package.json`);
    const ignore = readFileSync(at(".dockerignore"), "utf8").split("\n");
    for (const path of copied.filter((name) => name !== ".")) {
      expect(existsSync(at(path)), path).toBe(true);
      expect(ignore).toContain(`!${path.split("/")[0]}`);
    }
    for (const path of ignore.filter((line) => line.startsWith("!"))) expect(existsSync(at(path.slice(1))), path).toBe(true);
  });
});

describe("what the rules refuse", () => {
  const digest = `@sha256:${"0".repeat(64)}`;
  const good = [
    `FROM node:20.1.0-slim${digest} AS part`,
    "WORKDIR /data",
    "RUN apt-get update && apt-get install --yes --no-install-recommends tini=0.1* && rm -rf /var/lib/apt/lists/*",
    "USER 65532:65532",
    'ENTRYPOINT ["/usr/bin/tini", "--", "warpfarm"]',
    'CMD ["tracker"]',
  ];
  test("nothing in a good one", () => expect(lintDockerfile(good.join("\n"))).toEqual([]));

  test.each<[rule: string, line: number, instead: string]>([
    ["base-pinned", 0, "FROM node:latest AS part"],
    ["base-pinned", 0, "FROM node:20.1.0-slim AS part"],
    ["base-pinned", 0, `FROM node:20${digest} AS part`],
    ["base-pinned", 0, `FROM node${digest} AS part`],
    ["stage-named", 0, `FROM node:20.1.0-slim${digest}`],
    ["DL3000", 1, "WORKDIR data"],
    ["secret", 1, "ENV API_TOKEN=abc"],
    ["DL3020", 1, "ADD http://example.com/x.tgz /x"],
    ["fetched", 1, "RUN curl -o x http://example.com/x"],
    ["npm-ci", 1, "RUN npm install"],
    ["DL3004", 1, "RUN sudo true"],
    ["glob", 1, "RUN tar --extract --file=/tmp/warpfarm-*.tgz"],
    ["DL3015", 2, "RUN apt-get update && apt-get install --yes tini=0.1 && rm -rf /var/lib/apt/lists/*"],
    ["DL3014", 2, "RUN apt-get update && apt-get install --no-install-recommends tini=0.1 && rm -rf /var/lib/apt/lists/*"],
    ["DL3009", 2, "RUN apt-get update && apt-get install --yes --no-install-recommends tini=0.1"],
    ["apt-update", 2, "RUN apt-get install --yes --no-install-recommends tini=0.1 && rm -rf /var/lib/apt/lists/*"],
    ["DL3008", 2, "RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*"],
    ["DL3027", 2, "RUN apt install tini"],
    ["user", 3, "USER root"],
    ["user", 3, "USER node"],
    ["user", 3, "USER 0:0"],
    ["user", 3, ""],
    ["tini", 4, 'ENTRYPOINT ["warpfarm"]'],
    ["DL3025", 4, "ENTRYPOINT /usr/bin/tini -- warpfarm"],
    ["DL3025", 5, "CMD tracker"],
    ["syntax", 1, "WORKDRI /data"],
  ])("%s: line %i as %j", (rule, line, instead) => {
    const lines = good.map((text, i) => (i === line ? instead : text));
    expect(lintDockerfile(lines.join("\n")).map((finding) => finding.rule)).toContain(rule);
  });
});
