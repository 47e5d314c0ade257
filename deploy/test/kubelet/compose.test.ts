/**
 * compose.yaml as docker would run it, without docker: every service from the packed program, with its files, variables and
 * health check, in networks of their own, the published ports on this machine's side. And a person at the page.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { until } from "../../../test-support/until.ts";
import { settingsOf } from "../deployment/dockerfile-rules.ts";
import { bash, listingWith } from "../deployment/listings.ts";
import { at } from "../deployment/places.ts";
import { Container, type Mount } from "./container.ts";
import { fakeGpus } from "./gpus.ts";
import { imageOf } from "./image.ts";
import { Network, type PodNetwork } from "./network.ts";
import { signIn } from "./page.ts";

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly hostname?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly build?: { readonly target: string };
}
const compose: {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
} = parse(readFileSync(at("deploy/compose.yaml"), "utf8"), { merge: true });
const recipe = readFileSync(at("deploy/docker/Dockerfile"), "utf8");
const names = Object.keys(compose.services);

const directory = mkdtempSync(join(tmpdir(), "warpfarm-compose-"));
const containers = new Map<string, Container>();
let network: Network;

beforeAll(async () => {
  await bash(listingWith("deploy/README.md", "mkdir -p deploy/secrets"), { cwd: directory, env: process.env });
  network = await Network.open(directory);
});
afterAll(async () => {
  for (const container of containers.values()) container.kill();
  await Promise.all([...containers.values()].map((container) => container.finished()));
  await network?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** A folder for a volume, a temporary file system or what is shared, by its name. */
function folder(name: string): string {
  const path = join(directory, name.replaceAll("/", "_"));
  mkdirSync(path, { recursive: true });
  return path;
}

const gpu = fakeGpus(directory);
function begin(name: string, { pid }: PodNetwork, hosts: string, variables: Readonly<Record<string, string>>): Container {
  const {
    image,
    user = "65532:65532",
    hostname,
    command,
    environment = {},
    secrets = [],
    volumes = [],
    read_only,
    tmpfs,
  } = compose.services[name] as Service;
  const mounts: Mount[] = [{ from: hosts, to: "/etc/hosts", isReadOnly: true }];
  for (const secret of secrets)
    mounts.push({
      from: join(directory, "deploy", compose.secrets[secret]?.file ?? ""),
      to: `/run/secrets/${secret}`,
      isReadOnly: true,
    });
  for (const path of tmpfs) mounts.push({ from: folder(`${name}${path}`), to: path, isReadOnly: false });
  for (const [from = "", to = ""] of volumes.map((volume) => volume.split(":")))
    mounts.push({ from: folder(`volume-${from}`), to, isReadOnly: false });
  const env = Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [
      key,
      value.replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => variables[variable] ?? ""),
    ]),
  );
  if (name === "runner-cuda") {
    mounts.push({ from: gpu(0), to: "/opt/nvidia", isReadOnly: true });
    env.LD_LIBRARY_PATH = "/opt/nvidia";
  }
  const [uid, gid] = user.split(":").map(Number);
  return new Container({
    name,
    image: imageOf(image, "packed"),
    ...(command ? { args: command } : {}),
    env,
    mounts,
    user: { uid: uid ?? 0, gid: gid ?? 0 },
    isRootReadOnly: read_only,
    ...(hostname ? { hostname } : {}),
    network: pid,
  });
}

/** The health check of a service, or of its image. */
function healthcheckOf(name: string): readonly string[] | undefined {
  const { healthcheck, build } = compose.services[name] as Service;
  const command = healthcheck?.test.slice(1) ?? (build ? settingsOf(recipe, build.target).healthcheck : []);
  return command.length > 0 ? command : undefined;
}

test("every service starts and is healthy, workers register, and a person signs in at the published page", async () => {
  const networks = new Map<string, PodNetwork>();
  for (const name of names) networks.set(name, await network.pod());
  const hosts = join(directory, "hosts");
  writeFileSync(hosts, ["127.0.0.1 localhost", ...[...networks].map(([name, { address }]) => `${address} ${name}`)].join("\n"));
  const variables = Object.fromEntries(
    readFileSync(join(directory, "deploy", ".env"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("=")),
  );
  for (const wave of [/^postgres$/, /^tracker/, /^(?!postgres|tracker)/]) {
    const starting = names.filter((name) => wave.test(name));
    for (const name of starting) containers.set(name, begin(name, networks.get(name) as PodNetwork, hosts, variables));
    await Promise.all(
      starting.map(async (name) => {
        const check = healthcheckOf(name);
        const container = containers.get(name) as Container;
        await until(
          async () => {
            container.expectAlive();
            return check === undefined || (await container.exec(check)) === 0;
          },
          `${name} to be healthy`,
          300_000,
        );
      }),
    );
  }
  // What docker publishes: a connection to this machine's loopback arrives at the container from the bridge.
  const published = names.flatMap((name) =>
    (compose.services[name]?.ports ?? []).map((port) => {
      const [host = "", outside = "", inside = ""] = port.split(":");
      return { from: { host, port: Number(outside) }, to: { host: networks.get(name)?.address ?? "", port: Number(inside) } };
    }),
  );
  await network.route({
    services: published.map(({ from }) => from),
    allowed: Object.fromEntries(published.map(({ from, to }) => [`127.0.0.1 ${from.host}:${from.port}`, [to]])),
  });
  const secret = (name: string) => readFileSync(join(directory, "deploy", "secrets", name), "utf8");
  const tls = { ca: Buffer.from(secret("tls.crt")), servername: "localhost" };
  const workers = names.filter((name) => /^(builder|runner)/.test(name)).sort();
  for (const port of [9291, 9293])
    await until(async () => {
      const person = await signIn(network.node, { host: "127.0.0.1", port }, secret("client.token").trim(), tls);
      expect(person).toMatchObject({ status: 200, name: "me" });
      return person.nodes.join() === workers.join();
    }, "all workers on the page");
  // The same two containers answer by gRPC: the workers came that way, by either.
  for (const name of names) containers.get(name)?.expectAlive();
  const ends = await Promise.all(
    names.filter((name) => name !== "postgres").map(async (name) => [name, await containers.get(name)?.stop()]),
  );
  expect(ends.map(([, code]) => code)).toEqual(ends.map(() => 143));
});
