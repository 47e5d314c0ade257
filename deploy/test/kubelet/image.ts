/**
 * What the recipe of images lays around the program, here: the files of a container before anything is mounted, its user's
 * variables and its command. Debian's own /usr stands for that of the base image.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundled } from "../../../test-support/bundles.ts";
import { madeOnce } from "../../../test-support/run-directory.ts";
import { settingsOf } from "../deployment/dockerfile-rules.ts";
import { at } from "../deployment/places.ts";
import { packedInstallation } from "../packed.testing.ts";

export interface Image {
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly workdir: string;
  /** Flags of bwrap that make its files. */
  readonly files: readonly string[];
  /** Folders of this machine that it reads at their own places, whatever is mounted around them. */
  readonly places: readonly string[];
}

const recipe = readFileSync(at("deploy/docker/Dockerfile"), "utf8");

const entrypoint = `set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust --no-sync --no-locale --encoding=UTF8 > /dev/null
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE \\"$POSTGRES_DB\\"" | postgres --single -D "$PGDATA" postgres > /dev/null
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql -c fsync=off "$@"
`;

/** Debian's PostgreSQL as the official image starts it. */
function postgres(): Image {
  const script = madeOnce("postgres-entrypoint.sh", (path) => writeFileSync(path, entrypoint));
  const users = madeOnce("postgres-passwd", (path) => writeFileSync(path, "postgres:x:999:999::/var/lib/postgresql:/bin/sh\n"));
  const versions = ["18", "17", "16", "15"]
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .filter((path) => existsSync(path));
  return {
    env: { PATH: `${versions[0]}:/usr/bin`, PGDATA: "/var/lib/postgresql/data", LANG: "C.UTF-8" },
    entrypoint: ["/bin/sh", "/entrypoint.sh"],
    command: [],
    workdir: "/",
    files: [
      ...base,
      "--dir",
      "/var/lib/postgresql/data",
      "--dir",
      "/run/postgresql",
      "--symlink",
      "../run",
      "/var/run",
      "--ro-bind",
      script,
      "/entrypoint.sh",
      "--ro-bind",
      users,
      "/etc/passwd",
    ],
    places: [],
  };
}

/** The root of every image. No bwrap: the images have none. */
const base: readonly string[] = [
  ...["--ro-bind", "/usr", "/usr", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--tmpfs", "/usr/local"],
  ...["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
  ...["--dir", "/usr/local/bin", "--ro-bind", "/etc/alternatives", "/etc/alternatives"],
  ...["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try", "/etc/ssl/openssl.cnf", "/etc/ssl/openssl.cnf"],
  ...["--proc", "/proc", "--dev", "/dev", "--dir", "/tmp"],
];

/** In the place of the packed program: its bundle, which finds what is not in it in this repository. */
const bundledInstallation = (): string =>
  madeOnce("bundled-installation", (path) => {
    mkdirSync(join(path, "node_modules/warpfarm/bin"), { recursive: true });
    const text = `#!/usr/bin/env node\nrequire(${JSON.stringify(bundled("bin/warpfarm"))});\n`;
    writeFileSync(join(path, "node_modules/warpfarm/bin/warpfarm.js"), text, { mode: 0o755 });
  });

/**
 * The image that a manifest names: `registry/warpfarm/runner-cpu:0.1.0`, `postgres:15.1`. `program`: what users install, or its
 * bundle, which starts in two thirds of the processor time.
 */
export function imageOf(name: string, program: "packed" | "bundled"): Image {
  if (/^postgres:/.test(name)) return postgres();
  const [, target = ""] = /(?:^|\/)warpfarm\/([\w-]+):/.exec(name) ?? [];
  const { env, entrypoint, command, workdir, directories, links } = settingsOf(recipe, target);
  // tini only hands signals on; here the program is the container's first process.
  const words = entrypoint.slice(entrypoint.indexOf("--") + 1);
  const installation = program === "packed" ? packedInstallation() : bundledInstallation();
  return {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...env },
    entrypoint: words,
    command,
    workdir,
    files: [
      ...base,
      ...["--ro-bind", process.execPath, "/usr/local/bin/node", "--ro-bind", installation, "/opt/warpfarm"],
      ...directories.flatMap((path) => ["--dir", path]),
      ...links.flatMap(([to, path]) => ["--symlink", to, path]),
    ],
    places: program === "packed" ? [] : [at("."), dirname(dirname(bundled("bin/warpfarm")))],
  };
}
