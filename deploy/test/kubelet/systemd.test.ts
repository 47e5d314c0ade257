/**
 * The units as systemd would start them, without systemd: their commands from the bundled program, as the user, with the
 * credentials, folders and variables that they name, on a read-only root. A farm of one machine, then the drop-in for others, and
 * a person at the page of each.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../test-support/until.ts";
import { Authority } from "../certificates.ts";
import { at } from "../deployment/places.ts";
import { Container, type Mount } from "./container.ts";
import { fakeGpus } from "./gpus.ts";
import { imageOf } from "./image.ts";
import { Network, type PodNetwork } from "./network.ts";
import { signIn } from "./page.ts";

const directory = mkdtempSync(join(tmpdir(), "warpfarm-systemd-"));
const etc = join(directory, "etc");
const tokens = { builder: "b".repeat(40), runner: "r".repeat(40), suite: "s".repeat(40), admin: "a".repeat(40) };
const running: Container[] = [];
let network: Network;
let gpu: (number: number) => string;

beforeAll(async () => {
  mkdirSync(etc);
  const put = (name: string, text: string) => writeFileSync(join(etc, name), text);
  const line = (role: string, name: string, token: string) =>
    `${role} ${name} sha256:${createHash("sha256").update(token).digest("hex")}\n`;
  put(
    "tokens",
    line("builder", "b", tokens.builder) +
      line("runner", "r", tokens.runner) +
      line("client", "alice", tokens.suite) +
      line("admin", "boss", tokens.admin),
  );
  for (const role of ["builder", "runner", "suite"] as const) put(`${role}.token`, `${tokens[role]}\n`);
  put("worker.env", "WARPFARM_TRACKER=127.0.0.1:9290\n");
  const authority = new Authority(directory, "authority");
  authority.sign("tls", "DNS:tracker.lan");
  put("tls.crt", readFileSync(join(directory, "tls.pem"), "utf8"));
  put("tls.key", readFileSync(join(directory, "tls.key"), "utf8"));
  network = await Network.open(directory);
  gpu = fakeGpus(directory);
});
afterAll(async () => {
  for (const container of running) container.kill();
  await Promise.all(running.map((container) => container.finished()));
  await network?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const valuesOf = (text: string, key: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
/** Later settings follow; an empty one takes back what was before. */
const effective = (values: readonly string[]): readonly string[] => values.slice(values.lastIndexOf("") + 1);

function folder(name: string): string {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return path;
}

interface Begun {
  readonly container: Container;
  readonly unit: string;
}

/** `machine`: whose network, and whose folders. `instance`: what stands after @. */
function begin(unit: string, machine: string, { pid }: PodNetwork, { instance = "", dropIns = "" } = {}): Begun {
  const text = readFileSync(at(`deploy/systemd/${unit}`), "utf8") + dropIns;
  const name = unit.replace("@", `@${instance}`);
  const expand = (value: string) =>
    value.replaceAll("%d", `/run/credentials/${name}`).replaceAll("%C", "/var/cache").replaceAll("%i", instance);
  const env: Record<string, string> = {};
  for (const line of valuesOf(text, "Environment").flatMap((value) => value.split(" ")))
    env[line.slice(0, line.indexOf("="))] = expand(line.slice(line.indexOf("=") + 1));
  for (const path of valuesOf(text, "EnvironmentFile").filter((value) => !value.startsWith("-")))
    for (const line of readFileSync(join(etc, path.replace("/etc/warpfarm/", "")), "utf8")
      .trim()
      .split("\n"))
      env[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1);
  const mounts: Mount[] = valuesOf(text, "LoadCredential").map((value) => {
    const [id = "", path = ""] = value.split(":");
    return { from: join(etc, path.replace("/etc/warpfarm/", "")), to: `/run/credentials/${name}/${id}`, isReadOnly: true };
  });
  const writable = (key: string, root: string) =>
    valuesOf(text, key).map(
      (value): Mount => ({ from: folder(`${machine}${root}/${value}`), to: `${root}/${value}`, isReadOnly: false }),
    );
  mounts.push(
    ...writable("CacheDirectory", "/var/cache"),
    ...writable("StateDirectory", "/var/lib"),
    ...writable("RuntimeDirectory", "/run"),
  );
  const isOwnTmp = valuesOf(text, "PrivateTmp").includes("yes");
  mounts.push({ from: folder(isOwnTmp ? `${machine}/tmp-${name}` : `${machine}/tmp`), to: "/tmp", isReadOnly: false });
  const device = /^cuda:(\d+)$/.exec(instance)?.[1];
  if (device !== undefined) {
    mounts.push({ from: gpu(Number(device)), to: "/opt/nvidia", isReadOnly: true });
    env.LD_LIBRARY_PATH = "/opt/nvidia";
  }
  const [start = ""] = effective(valuesOf(text, "ExecStart"));
  const [program = "", ...args] = start.split(" ").map(expand);
  // A GPU of this machine's own is the fake's first, whatever its number.
  const words = args.map((word) => (device !== undefined && word === instance ? "cuda:0" : word));
  const image = imageOf("warpfarm/tracker:0", "bundled");
  expect(program).toBe("/usr/local/bin/warpfarm");
  const container = new Container({
    name,
    image: { ...image, env: { PATH: image.env.PATH ?? "", HOME: "/var/lib/warpfarm" }, workdir: "/" },
    command: [program],
    args: words,
    env,
    mounts,
    user: { uid: 990, gid: 990 },
    isRootReadOnly: valuesOf(text, "ProtectSystem").includes("strict"),
    hostname: machine,
    network: pid,
  });
  running.push(container);
  return { container, unit: name };
}

const isReady = async ({ container, unit }: Begun, said: RegExp) =>
  until(
    () => {
      container.expectAlive();
      return said.test(container.said);
    },
    `${unit} to be ready`,
    300_000,
  );

test("a farm of one machine: each unit starts, runners have caches of their own, and its user signs in at the page", async () => {
  const machine = await network.pod();
  const tracker = begin("warpfarm-tracker.service", "bench", machine);
  await isReady(tracker, /tracker ready/);
  const instances = ["cpu", "cuda:0", "cuda:1"];
  const builder = begin("warpfarm-builder.service", "bench", machine);
  const suite = begin("warpfarm-suite.service", "bench", machine);
  const runners = instances.map((instance) => begin("warpfarm-runner@.service", "bench", machine, { instance }));
  await Promise.all([isReady(builder, /builder ready/), ...runners.map((runner) => isReady(runner, /runner ready/))]);
  const caches = [builder, ...runners].map(({ container }) => container.words[container.words.indexOf("--cache") + 1] ?? "");
  expect(new Set(caches).size).toBe(caches.length);
  for (const cache of caches) expect(folder("bench/var/cache/warpfarm") && cache).toMatch(/^\/var\/cache\/warpfarm\/[\w:]+$/);
  const door = await machine.forward();
  const person = await signIn(door, { host: "127.0.0.1", port: 9291 }, tokens.admin);
  expect(person).toMatchObject({ status: 200, nodes: ["bench"] });
  expect(person.name).not.toBe("");
  // From another machine there is nothing, without the drop-in.
  await expect(network.node.ask({ host: machine.address, port: 9291 }, "/healthz")).rejects.toThrow();
  suite.container.expectAlive();
  for (const { container } of [suite, ...runners, builder, tracker]) expect(await container.stop()).toBe(143);
});

test("with the drop-in other machines reach the tracker and its page, by TLS", async () => {
  const machine = await network.pod();
  const dropIns = readFileSync(at("deploy/systemd/warpfarm-tracker.service.d/network.conf"), "utf8");
  const tracker = begin("warpfarm-tracker.service", "server", machine, { dropIns });
  await isReady(tracker, /tracker ready/);
  const tls = { ca: readFileSync(join(directory, "authority.pem")), servername: "tracker.lan" };
  const person = await signIn(network.node, { host: machine.address, port: 9291 }, tokens.admin, tls);
  expect(person).toMatchObject({ status: 200 });
  expect(person.name).not.toBe("");
  expect(await tracker.container.stop()).toBe(143);
});
