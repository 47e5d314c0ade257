/**
 * compose.yaml, checked against the keys that compose knows, the targets of the Dockerfile and itself. kubelet/compose.test.ts
 * starts its services.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { targetsOf } from "./dockerfile-rules.ts";
import { at } from "./places.ts";

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly [other: string]: unknown;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** The keys of compose that the file uses; a misspelt key is not among them. */
const known = {
  file: ["name", "services", "volumes", "networks", "secrets"],
  service: [
    ...[
      "image",
      "build",
      "user",
      "command",
      "environment",
      "secrets",
      "volumes",
      "networks",
      "ports",
      "depends_on",
      "profiles",
      "tmpfs",
    ],
    ...["hostname", "restart", "read_only", "cap_drop", "security_opt", "stop_grace_period", "healthcheck", "deploy"],
  ],
  build: ["context", "dockerfile", "target"],
} as const;

const text = readFileSync(at("deploy/compose.yaml"), "utf8");
const namesOf = (list: readonly string[] | Readonly<Record<string, unknown>> = []): readonly string[] =>
  Array.isArray(list) ? list : Object.keys(list);

function problemsOf(file: Compose): readonly string[] {
  const problems: string[] = [];
  const top = Object.keys(file).filter((key) => !key.startsWith("x-"));
  for (const key of top) if (!known.file.some((k) => k === key)) problems.push(`${key}: not a key of compose`);
  const targets = targetsOf(readFileSync(at("deploy/docker/Dockerfile"), "utf8"));
  for (const [name, service] of Object.entries(file.services)) {
    const demand = (holds: unknown, what: string) => holds || problems.push(`${name} ${what}`);
    for (const key of Object.keys(service))
      demand(
        known.service.some((k) => k === key),
        `has an unknown key ${key}`,
      );
    for (const key of Object.keys(service.build ?? {}))
      demand(
        known.build.some((k) => k === key),
        `has an unknown key build.${key}`,
      );
    const { build, image } = service;
    demand(/:\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/.test(image), `has an image with a version, not ${image}`);
    if (build) {
      demand(targets.includes(build.target), `is built from a target of the Dockerfile, not ${build.target}`);
      demand(image.startsWith(`warpfarm/${build.target}:`), `has the image that is built, ${build.target}`);
      demand(build.context === ".." && build.dockerfile === "deploy/docker/Dockerfile", "is built in the repository");
    } else demand(service.user !== undefined && !/^(0|root)/.test(service.user), "runs as a user that is not root");
    demand(service.read_only === true && String(service.cap_drop) === "ALL", "can write to its volumes only, with no capability");
    demand(String(service.security_opt) === "no-new-privileges:true", "cannot gain privileges");
    for (const secret of service.secrets ?? []) demand(file.secrets[secret], `uses a secret that is declared, ${secret}`);
    for (const volume of service.volumes ?? [])
      demand(file.volumes[volume.split(":")[0] ?? ""], `uses a volume that is declared, ${volume}`);
    for (const network of namesOf(service.networks))
      demand(file.networks[network], `is on a network that is declared, ${network}`);
    for (const port of service.ports ?? []) demand(port.startsWith("127.0.0.1:"), `is open to this machine only, not ${port}`);
    for (const other of namesOf(service.depends_on)) {
      demand(file.services[other], `waits for a service that is there, ${other}`);
      demand(!file.services[other]?.profiles, `waits for one that always runs, ${other}`);
    }
    if (!Array.isArray(service.depends_on))
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {}))
        demand(
          condition !== "service_healthy" || file.services[other]?.healthcheck,
          `waits for one that has a health check, ${other}`,
        );
  }
  return problems;
}

const compose: Compose = parse(text, { merge: true });

describe("compose.yaml", () => {
  test("says nothing that compose does not know, and what belongs together fits", () => expect(problemsOf(compose)).toEqual([]));

  test("workers find either tracker, a GPU has its profile, and nodes are called as their services", () => {
    for (const [name, { environment, profiles, hostname }] of Object.entries(compose.services)) {
      if (/^(postgres|tracker)/.test(name)) continue;
      expect((environment?.WARPFARM_TRACKER ?? "").split(",").sort()).toEqual(["tracker-1:9290", "tracker-2:9290"]);
      expect(profiles).toEqual(name.endsWith("cuda") ? ["gpu"] : undefined);
      expect(hostname).toBe(name);
    }
    expect(compose.services.postgres?.image).toContain("postgres:15.");
  });

  test("no two services write into one volume", () => {
    const volumes = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(":")[0]));
    expect(volumes.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  test("README.md makes its secrets", () => {
    const readme = readFileSync(at("deploy/README.md"), "utf8");
    for (const { file } of Object.values(compose.secrets)) expect(readme).toContain(file.replace("./", "deploy/"));
    expect(readme).toContain("POSTGRES_PASSWORD=");
  });
});

describe("what the checks find", () => {
  test.each([
    ["read_only: true", "readonly: true", /unknown key readonly/],
    ["target: tracker", "target: trackers", /target of the Dockerfile, not trackers/],
    ["secrets: [builder-token,", "secrets: [builders-token,", /secret that is declared, builders-token/],
    ["127.0.0.1:9290:9290", "9290:9290", /this machine only/],
    ['user: "999:999"', 'user: "0:0"', /not root/],
    ["image: warpfarm/tracker:0.1.0", "image: warpfarm/tracker:latest", /with a version/],
    ["depends_on: [tracker-1, tracker-2]", "depends_on: [tracker]", /a service that is there, tracker/],
    ['"builder-cache:/var', '"builders:/var', /volume that is declared/],
    ["    healthcheck:", "    health_check:", /has a health check, postgres/],
  ])("%s made %s", (from, to, said) => {
    expect(text).toContain(from);
    expect(problemsOf(parse(text.replace(from, to), { merge: true })).join("\n")).toMatch(said);
  });
});
