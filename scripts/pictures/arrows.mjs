/** Parts of a package and their imports at run time. */
import { dirname, join, relative, resolve } from "node:path";

/** The part that a file belongs to; `store/` is the folder, `store` the file too. */
function partOf(parts, file) {
  const matches = (name) => (name.endsWith("/") ? file.startsWith(name) : file === `${name}.ts` || file.startsWith(`${name}/`));
  const exact = parts.findIndex(({ of }) => of.some((name) => !name.endsWith("/") && file === `${name}.ts`));
  return exact >= 0 ? exact : parts.findIndex(({ of }) => of.some(matches));
}

/**
 * `imports`: [file, imported files][] of a package, paths from `root`. Returns `{ missing, empty, arrows }`: files that belong to
 * no part, parts without files, and for each part the set of parts that it imports. Index files only re-export and belong to no
 * part.
 */
export function arrowsOfParts(parts, imports, source, root) {
  const inSource = (path) => relative(source, resolve(root, path));
  const missing = [];
  const arrows = parts.map(() => new Set());
  const seen = new Set();
  for (const [file, targets] of imports) {
    const name = inSource(file);
    if (name.startsWith("..") || (dirname(name) === "." && name === "index.ts")) continue;
    const from = partOf(parts, name);
    if (from < 0) {
      missing.push(join(source, name));
      continue;
    }
    seen.add(from);
    for (const target of targets) {
      const to = partOf(parts, inSource(target));
      if (to >= 0 && to !== from) arrows[from].add(to);
    }
  }
  return { missing, empty: parts.filter((_, i) => !seen.has(i)).map(({ name }) => name), arrows };
}

function reachable(arrows, from) {
  const seen = new Set();
  const open = [...arrows[from]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...arrows[at]);
  }
  return seen;
}

/** Removes the arrows that a path over other parts already shows. */
export function reduced(arrows) {
  return arrows.map((targets, from) => {
    const others = (to) => [...targets].filter((t) => t !== to && t !== from);
    return new Set(
      [...targets].filter((to) => !others(to).some((via) => reachable(arrows, via).has(to) && !reachable(arrows, to).has(via))),
    );
  });
}
