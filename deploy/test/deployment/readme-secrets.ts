/** The secrets that the commands of deploy/README.md make for a cluster, by running them. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bash, listingWith } from "./listings.ts";
import type { Secrets } from "./manifests.ts";

/** Stores what `kubectl create secret` and `create configmap` are given as secrets/NAME/KEY. */
const kubectl = `#!/usr/bin/env node
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
  const commands = ["warpfarm-tokens", "-keyout farm.key", "-keyout tracker.key"].map((words) =>
    listingWith("deploy/README.md", words),
  );
  const path = `${bin}${delimiter}${env.PATH}`;
  await bash(commands.join("").replaceAll("farm.example.com", host), { cwd: directory, env: { ...env, PATH: path } });
  const secrets = join(directory, "secrets");
  const read = (name: string) =>
    Object.fromEntries(readdirSync(join(secrets, name)).map((key) => [key, readFileSync(join(secrets, name, key), "utf8")]));
  return Object.fromEntries(readdirSync(secrets).map((name) => [name, read(name)]));
}
