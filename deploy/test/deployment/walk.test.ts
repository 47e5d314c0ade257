/**
 * The way from an empty cluster to a tuned kernel (deploy/README.md), command by command, without a cluster: images are names
 * that `docker` pushed, `kubectl` renders what it applies and knows it afterwards, and the farm that the laptop reaches is one of
 * this machine's processor with the secrets and the certificate that the commands made.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../../test-support/free-port.ts";
import { needs } from "../../../test-support/needs.ts";
import { quickTune, tinyTask } from "../faults/campaign.ts";
import { processFarm } from "../process-farm.testing.ts";
import { bin } from "../warpfarm-process.ts";
import { targetsOf } from "./dockerfile-rules.ts";
import { bash } from "./listings.ts";
import { parseManifests, secretsNamed, workloadsOf } from "./manifests.ts";
import { at } from "./places.ts";
import { kubectl, walk } from "./readme-secrets.ts";

/** Keeps what is applied in `applied`, and answers for what is there alone. */
const cluster = `#!/bin/bash
set -euo pipefail
words=("$@")
[ "\${words[0]}" = --namespace ] && words=("\${words[@]:2}")
case "\${words[0]} \${words[1]}" in
  "apply -f") cat "\${words[2]}" >> applied ;;
  "apply -k") "$REAL_KUBECTL" kustomize "\${words[2]}" >> applied ;;
  "create secret") exec "$(dirname "$0")/store-secret" "$@" ;;
  "rollout status" | "wait "*)
    name=\${words[1]}; [ "\${words[0]}" = rollout ] && name=\${words[2]}
    grep -qi "^kind: \${name%%/*}$" applied && grep -q "^  name: \${name##*/}$" applied ;;
  *) exit 1 ;;
esac
`;
const docker = `#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in --target) target=$2 ;; --tag) tag=$2 ;; -f) [ -f "$2" ] ;; esac
  shift
done
echo "$target $tag" >> pushed
`;

test("at most 15 commands lead from an empty cluster to a tuned kernel, and each does its part", {
  timeout: 300_000,
}, async (ctx) => {
  needs(ctx, "cc", "openssl", "kubectl");
  const commands = walk();
  expect(commands.length).toBeLessThanOrEqual(15);
  const farm = processFarm();
  const { place } = farm;
  const tools = place.path("tools");
  mkdirSync(tools);
  for (const [name, text] of Object.entries({ kubectl: cluster, "store-secret": kubectl, docker }))
    writeFileSync(join(tools, name), text, { mode: 0o755 });
  writeFileSync(join(tools, "npx"), `#!/bin/sh\nshift\nexec ${process.execPath} ${bin()} "$@"\n`, { mode: 0o755 });
  cpSync(at("deploy/kubernetes"), place.path("deploy/kubernetes"), { recursive: true });
  symlinkSync(at("deploy/docker"), place.path("deploy/docker"));
  const port = await freePort();
  const env = { ...place.env, PATH: `${tools}${delimiter}${place.env.PATH}`, REGISTRY: "registry.lan", FARM: "localhost" };
  const real = (await bash("command -v kubectl", { cwd: place.directory, env: place.env })).stdout.trim();
  const step = (command: string) => bash(command, { cwd: place.directory, env: { ...env, REAL_KUBECTL: real } });
  const first = commands.findIndex((line) => line.startsWith("npx"));
  for (const command of commands.slice(0, first)) await step(command);

  const applied = parseManifests(
    readFileSync(place.path("applied"), "utf8").replaceAll(/^apiVersion: v1\nkind: Namespace/gm, "---\n$&"),
  );
  const pushed = readFileSync(place.path("pushed"), "utf8").trim().split("\n");
  const targets = targetsOf(readFileSync(at("deploy/docker/Dockerfile"), "utf8"));
  for (const line of pushed) expect(targets).toContain(line.split(" ")[0]);
  const images = workloadsOf(applied).flatMap(({ pod }) => pod.containers.map(({ image }) => image));
  expect(images.filter((image) => !image.startsWith("postgres:") && !pushed.some((line) => line.endsWith(` ${image}`)))).toEqual(
    [],
  );
  const made = readdirSync(place.path("secrets")).flatMap((name) =>
    readdirSync(place.path(`secrets/${name}`)).map((key) => `${name}/${key}`),
  );
  // TLS between the pods is a component of its own.
  const named = [...secretsNamed(applied)].filter((name) => !name.startsWith("warpfarm-tracker-tls/"));
  expect(made).toEqual(expect.arrayContaining(named));
  expect(made).toContain("warpfarm-gateway-tls/tls.crt");

  const secret = (name: string) => place.path(`secrets/warpfarm-tokens/${name}`);
  const tls = ["--tls-cert", place.path("farm.crt"), "--tls-key", place.path("farm.key")];
  await farm.serving(
    "tracker",
    "--listen",
    `localhost:${port}`,
    "--http",
    "none",
    "--data",
    "memory",
    ...tls,
    "--token-file",
    secret("tracker"),
  );
  for (const role of ["builder", "runner"])
    await farm.serving(role, "--tracker", `localhost:${port}`, "--tls-ca", place.path("farm.crt"), "--token-file", secret(role));
  const [nodes = "", tune = "", best = ""] = commands.slice(first).map((line) => line.replace("$FARM:443", `localhost:${port}`));
  expect((await step(nodes)).stdout).toContain("ACTIVE");
  // The task is one for GPUs.
  const small = tune.replace("tutorial/conv2d_no_batching", [...tinyTask.map((word) => `'${word}'`), ...quickTune].join(" "));
  await step(small.replace("--trials 64", "--trials 4"));
  expect((await step(best.replace("--emit cuda", "--emit c"))).stdout).toContain("void ");
});
