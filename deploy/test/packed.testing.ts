/**
 * The package as `npm pack` makes it and `npm install` unpacks it, without npm, which takes half a minute of a processor for its
 * list of files. A package says which of its files are packed; of others' packages, all that is installed. The full campaign
 * holds this equal to npm's.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

interface Described {
  readonly name: string;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
}
const described = (directory: string): Described => JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));

/** Where Node finds the package from there. */
function found(name: string, from: string, root: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(path)) return path;
    if (at === root) return undefined;
  }
}

/** Directories of all packages in the bundle, as they lie under `root`. */
function bundleOf(root: string): ReadonlySet<string> {
  const packages = new Set<string>();
  const add = (name: string, from: string, isOptional: boolean): void => {
    const path = found(name, from, root);
    if (path === undefined && !isOptional) throw new Error(`${relative(root, from)}: its dependency ${name} is not installed`);
    if (path === undefined || packages.has(path)) return;
    packages.add(path);
    // What a workspace needs is found from its own folder.
    const real = realpathSync(path);
    const { dependencies = {}, optionalDependencies = {} } = described(real);
    for (const needed of Object.keys(dependencies)) add(needed, real, needed in optionalDependencies);
    for (const needed of Object.keys(optionalDependencies)) add(needed, real, true);
  };
  for (const name of described(root).bundleDependencies ?? []) add(name, root, false);
  return packages;
}

/** Copies what the package's `files` name, and what npm takes besides. */
function copyOwn(from: string, to: string): void {
  const { files = [] } = described(from);
  const left = files.filter((each) => each.startsWith("!")).map((each) => each.replace(/^!.*\*/, ""));
  const isPacked = (path: string) => !left.some((end) => path.endsWith(end));
  for (const name of ["package.json", "README.md", "LICENSE", ...files])
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true, filter: isPacked });
}

/** Installs the package of `root` in `place`. */
export function installPacked(root: string, place: string): void {
  const { name, bin = {} } = described(root);
  const to = join(place, "node_modules", name);
  copyOwn(root, to);
  for (const from of bundleOf(root)) {
    const inside = join(to, relative(root, from));
    if (lstatSync(from).isSymbolicLink()) copyOwn(realpathSync(from), inside);
    else cpSync(from, inside, { recursive: true, filter: (path) => !path.slice(from.length).includes("/node_modules") });
  }
  const links = join(place, "node_modules", ".bin");
  mkdirSync(links, { recursive: true });
  for (const [command, script] of Object.entries(bin)) symlinkSync(join("..", name, script), join(links, command));
}
