/**
 * Files that a file from elsewhere names: a spec its headers, tensors and reference; a suite its kernels, templates and shapes.
 * They are sent to a farm, or run here. So they lie below the folder of the file that names them, or below a folder that the user
 * named (--allow-include), and a link counts as what it leads to. A hidden folder is reached only if the user named it itself.
 */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { badInput, shellWord } from "@warpfarm/common";

export interface Reach {
  readonly folder: string;
  readonly allowed: readonly string[] | "everything";
  readonly of: string;
}

/** The folders of `--allow-include`, without links. Throws FarmError. */
export const allowedFolders = (words: readonly string[] = [], cwd: string): Promise<readonly string[]> =>
  Promise.all(
    words.map(async (word) => {
      const path = await realpath(resolve(cwd, word)).catch(() => undefined);
      if (path === undefined || !(await stat(path)).isDirectory())
        throw badInput(`--allow-include names ${JSON.stringify(word)}, which is not a folder; give one`);
      return path;
    }),
  );

/** Its absolute path. Throws the error of `refuse`. A missing file is left to its reader. */
export async function reached({ folder, allowed, of }: Reach, word: string, refuse: (why: string) => Error): Promise<string> {
  const named = resolve(folder, word);
  const path = allowed === "everything" ? undefined : await realpath(named).catch(() => undefined);
  if (path === undefined || allowed === "everything") return named;
  const roots = [await realpath(folder), ...allowed];
  const below = roots.map((root) => relative(root, path)).filter(isBelow);
  if (below.some((at) => !isHidden(at))) return named;
  const leads = path === named ? "" : ` leads to ${path}, which`;
  const why = below.length > 0 ? "is in a hidden folder" : `is outside ${of}'s folder`;
  throw refuse(`${word}${leads} ${why}; if a farm may have its files, add --allow-include ${shellWord(path)}`);
}

const isBelow = (at: string): boolean => at !== ".." && !at.startsWith(`..${sep}`) && !isAbsolute(at);
const isHidden = (at: string): boolean => at.split(sep).some((part) => part.startsWith("."));
