/**
 * Packs what a stranger installs: `node scripts/pack.mjs [--to FOLDER]` writes warpfarm-VERSION.tgz there, or into the current
 * folder. `npm run build` comes first. With `--lock` the folder also gets a package.json that depends on the file and a
 * package-lock.json, so that `npm ci` there installs exactly what this repository was tested with.
 *
 * Our packages travel inside, minified, with those of their declarations that the package's own types reach. Packages of others
 * are ordinary dependencies with exact versions; npm-shrinkwrap.json holds theirs in turn to what package-lock.json says.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transformSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));
const isOurs = (name) => name.startsWith("@warpfarm/");

/** The workspaces by their package names. */
const workspaces = new Map(
  read(root, "package.json").workspaces.map((folder) => {
    const manifest = read(root, folder, "package.json");
    return [manifest.name, { folder: join(root, folder), manifest }];
  }),
);

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The declaration that an import names; undefined for a package of others. */
function declarationOf(specifier, from) {
  if (specifier.startsWith(".")) return resolve(dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"));
  if (!isOurs(specifier)) return undefined;
  const [scope, name, ...path] = specifier.split("/");
  const { folder, manifest } = workspaces.get(`${scope}/${name}`);
  return join(folder, manifest.exports[path.length === 0 ? "." : `./${path.join("/")}`].types);
}

/** All declarations that one file reaches, itself among them. */
function reachable(entry) {
  const seen = new Set([entry]);
  for (const file of seen)
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"([^"]+)"/g)) {
      const found = declarationOf(specifier, file);
      if (found !== undefined) seen.add(found);
    }
  return seen;
}

/** A file as it is packed, by its name; undefined for one that is left out. */
function packed(file, declarations) {
  if (file.endsWith(".d.ts")) return declarations.has(file) ? readFileSync(file) : undefined;
  // The packed stores are larger than all else together. A user's first process makes them (packed-store.ts).
  if (/\.(map|tsbuildinfo|digest|tar\.gz)$/.test(file)) return undefined;
  if (!file.endsWith(".js") || file.includes("/page/assets/")) return readFileSync(file);
  return transformSync(readFileSync(file, "utf8"), {
    loader: "js",
    format: "esm",
    target: "node20",
    minify: true,
  }).code;
}

/** Lays one of our packages under node_modules, without dependencies of its own: the root has them. */
function layPackage({ folder, manifest }, to, declarations) {
  const { name, version, license, type, exports, files } = manifest;
  const kept = Object.fromEntries(
    Object.entries(exports).map(([path, { types, ...rest }]) => [
      path,
      declarations.has(join(folder, types)) ? { types, ...rest } : rest,
    ]),
  );
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, "package.json"), JSON.stringify({ name, version, license, type, exports: kept }));
  for (const each of files.filter((one) => !one.startsWith("!")))
    for (const file of filesIn(join(folder, each))) {
      const content = packed(file, declarations);
      if (content === undefined) continue;
      const path = join(to, relative(folder, file));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
}

/** What our packages need of others, by exact versions. */
function dependencies() {
  const found = {};
  for (const { folder, manifest } of workspaces.values())
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (isOurs(name)) continue;
      if ((found[name] ?? version) !== version)
        throw new Error(`${folder} wants ${name} ${version}, and another package ${found[name]}`);
      found[name] = version;
    }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The lock file of an installation: package-lock.json without what only development needs. */
function shrinkwrap(manifest) {
  const { lockfileVersion, packages } = read(root, "package-lock.json");
  const { name, version, license, bin, engines } = manifest;
  const own = {
    name,
    version,
    license,
    bin,
    engines,
    dependencies: manifest.dependencies,
    bundleDependencies: manifest.bundleDependencies,
  };
  const others = Object.entries(packages).filter(
    ([path, entry]) => path.startsWith("node_modules/") && !entry.dev && !entry.link,
  );
  const ours = [...workspaces].map(([each, { manifest: m }]) => [
    `node_modules/${each}`,
    { version: m.version, inBundle: true, license: m.license },
  ]);
  return { name, version, lockfileVersion, requires: true, packages: Object.fromEntries([["", own], ...ours, ...others]) };
}

/** Lays the whole package into a folder that does not exist yet. Returns its manifest and lock. */
function layPacked(to) {
  const { workspaces: _, scripts: __, devDependencies: ___, private: ____, ...manifest } = read(root, "package.json");
  const declarations = reachable(join(root, "index.d.ts"));
  mkdirSync(to, { recursive: true });
  for (const name of manifest.files) cpSync(join(root, name), join(to, name), { recursive: true });
  for (const [name, workspace] of workspaces) layPackage(workspace, join(to, "node_modules", name), declarations);
  const ours = Object.fromEntries([...workspaces].map(([name, { manifest: m }]) => [name, m.version]));
  const whole = {
    ...manifest,
    files: [...manifest.files, "npm-shrinkwrap.json"],
    dependencies: { ...ours, ...dependencies() },
    bundleDependencies: Object.keys(ours),
  };
  const lock = shrinkwrap(whole);
  writeJson(join(to, "package.json"), whole);
  writeJson(join(to, "npm-shrinkwrap.json"), lock);
  return lock;
}

/** Makes a folder that depends on the packed file. npm heeds a shrinkwrap of a package only where that comes from a registry. */
function writeLock(folder, { name, version, lockfileVersion, packages }) {
  const file = `file:${name}-${version}.tgz`;
  const { "": own, ...others } = packages;
  const outside = { name: `${name}-here`, private: true, dependencies: { [name]: file } };
  const placed = Object.entries(others).map(([path, entry]) => [entry.inBundle ? `node_modules/${name}/${path}` : path, entry]);
  const all = { "": outside, [`node_modules/${name}`]: { ...own, resolved: file }, ...Object.fromEntries(placed) };
  writeJson(join(folder, "package.json"), outside);
  writeJson(join(folder, "package-lock.json"), { name: outside.name, lockfileVersion, requires: true, packages: all });
}

const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

const { values } = parseArgs({ options: { to: { type: "string", default: "." }, lock: { type: "boolean", default: false } } });
const stage = mkdtempSync(join(tmpdir(), "warpfarm-pack-"));
try {
  const lock = layPacked(join(stage, "package"));
  mkdirSync(values.to, { recursive: true });
  const { status } = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", resolve(values.to)], {
    cwd: join(stage, "package"),
    stdio: "inherit",
  });
  if (values.lock) writeLock(values.to, lock);
  process.exitCode = status ?? 1;
} finally {
  rmSync(stage, { recursive: true, force: true });
}
