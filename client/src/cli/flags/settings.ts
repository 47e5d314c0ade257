/**
 * Settings from three places: flags > WARPFARM_* > $XDG_CONFIG_HOME/warpfarm/config.yaml. This file reads the last two and
 * records where each value came from, so errors can name it. Commands apply flags.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { badInput, defined, unreadable } from "@warpfarm/common";
import type { CredentialFiles } from "@warpfarm/proto";
import type { CliContext } from "../context.ts";

export interface Settings extends CredentialFiles {
  /** host:port, or several separated by commas; undefined: start an embedded farm. */
  readonly tracker?: string;
  readonly target?: string;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly logDir: string;
  readonly configFile: string;
}

const names = {
  tracker: "WARPFARM_TRACKER",
  target: "WARPFARM_TARGET",
  token_file: "WARPFARM_TOKEN_FILE",
  tls_ca: "WARPFARM_TLS_CA",
  tls_cert: "WARPFARM_TLS_CERT",
  tls_key: "WARPFARM_TLS_KEY",
  data_dir: "WARPFARM_DATA_DIR",
  cache_dir: "WARPFARM_CACHE_DIR",
  log_dir: "WARPFARM_LOG_DIR",
} as const;
type Name = keyof typeof names;
export const dataDirName = names.data_dir;

type Surroundings = Pick<CliContext, "env" | "cwd" | "home">;

/** An XDG base directory; the specification says to ignore relative values. */
function baseDirectory({ env, home }: Surroundings, variable: string, fallback: string): string {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : join(home, fallback);
}

const configFileOf = (s: Surroundings): string => join(baseDirectory(s, "XDG_CONFIG_HOME", ".config"), "warpfarm", "config.yaml");

async function readConfigFile(path: string): Promise<Partial<Record<Name, string>>> {
  if (!existsSync(path)) return {};
  const text = await readFile(path, "utf8").catch(unreadable(`config file ${path}`));
  const { z } = await import("@warpfarm/records/schema");
  const { readYaml } = await import("../../task/read-yaml.ts");
  const document = (await readYaml(`config file ${path}`, text)) ?? {};
  const field = z.string().min(1).optional();
  const shape = Object.fromEntries(Object.keys(names).map((name) => [name, field]));
  const parsed = z.strictObject(shape).safeParse(document);
  if (parsed.success) return parsed.data as Partial<Record<Name, string>>;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") || (issue && "keys" in issue ? issue.keys.join(", ") : "the document");
  const why = issue?.code === "unrecognized_keys" ? " is unknown" : `: ${issue?.message ?? "it is wrong"}`;
  throw badInput(`config file ${path}: ${where}${why}; allowed are ${Object.keys(names).join(", ")}, each a string`);
}

/** Throws CliError (bad input) that names the file and the field. */
export async function readSettings(s: Surroundings): Promise<Settings> {
  const configFile = configFileOf(s);
  const file = await readConfigFile(configFile);
  const value = (name: Name): string | undefined => s.env[names[name]] || file[name];
  const directory = (name: Name, fallback: string) => resolve(s.cwd, value(name) ?? fallback);
  return {
    ...defined({ tracker: value("tracker"), target: value("target"), tokenFile: value("token_file") }),
    ...defined({ tlsCa: value("tls_ca"), tlsCert: value("tls_cert"), tlsKey: value("tls_key") }),
    dataDir: directory("data_dir", join(baseDirectory(s, "XDG_DATA_HOME", ".local/share"), "warpfarm")),
    cacheDir: directory("cache_dir", join(baseDirectory(s, "XDG_CACHE_HOME", ".cache"), "warpfarm")),
    logDir: directory("log_dir", "warpfarm-logs"),
    configFile,
  };
}
