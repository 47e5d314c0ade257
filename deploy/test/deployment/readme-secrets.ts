/** The secrets that the commands of deploy/README.md make for a cluster, by running them. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bash, commandsIn, listingWith } from "./listings.ts";
import type { Secrets } from "./manifests.ts";
import { at } from "./places.ts";

/** Stores what `kubectl create secret` and `create configmap` are given as secrets/NAME/KEY. */
export const kubectl = `#!/usr/bin/env node
const fs = require("node:fs");
const words = process.argv.slice(2).filter((word) => word !== "--namespace" && word !== "warpfarm");
if (words[0] === "apply") process.exit(0);
const named = words[1] === "configmap" ? 2 : 3;
if (words[0] !== "create" || !["secret generic", "secret tls", "configmap"].includes(words.slice(1, named).join(" "))) process.exit(1);
const name = words[named];
fs.mkdirSync("secrets/" + name, { recursive: true });
for (const flag of words.slice(named + 1)) {
  const [, literal, value] = /^--from-literal=([\\w.]+)=([^]*)$/.exec(flag) ?? [];
  const [, key, file] = /^--from-file=([\\w.]+)=(.*)$/.exec(flag) ?? [];
  const [, pem, path] = /^--(cert|key)=(.*)$/.exec(flag) ?? [];
  if (literal !== undefined) fs.writeFileSync("secrets/" + name + "/" + literal, value);
  else if (key !== undefined) fs.copyFileSync(file, "secrets/" + name + "/" + key);
  else if (pem !== undefined) fs.copyFileSync(path, "secrets/" + name + "/tls." + (pem === "cert" ? "crt" : "key"));
  else process.exit(1);
}
`;

/** The commands from an empty cluster to a tuned kernel. */
export const walk = (): readonly string[] => commandsIn(listingWith("deploy/README.md", "make-secrets.sh"));

/** Files in `directory`: secrets/NAME/KEY, and client.token, admin.token, farm.crt, tracker.crt as a user has them. */
export async function makeSecrets(
  directory: string,
  host: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Secrets> {
  const bin = join(directory, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "kubectl"), kubectl);
  chmodSync(join(bin, "kubectl"), 0o755);
  const walked = walk().filter((line) => /^(?:bash|openssl|kubectl .*create)/.test(line));
  const commands = [`FARM=${host}`, ...walked, listingWith("deploy/README.md", "-keyout tracker.key")].join("\n");
  const script = commands.replace("deploy/kubernetes", at("deploy/kubernetes"));
  const path = `${bin}${delimiter}${env.PATH}`;
  await bash(script, { cwd: directory, env: { ...env, PATH: path } });
  const secrets = join(directory, "secrets");
  const read = (name: string) =>
    Object.fromEntries(readdirSync(join(secrets, name)).map((key) => [key, readFileSync(join(secrets, name, key), "utf8")]));
  return Object.fromEntries(readdirSync(secrets).map((name) => [name, read(name)]));
}
