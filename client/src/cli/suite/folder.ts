/** Folders of suites: named by a path, or by a suite's name in the usual place. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { badInput, shellWord } from "@warpfarm/common";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { Settings } from "../flags/settings.ts";

export const folderOf = (settings: Settings, name: string): string => join(settings.logDir, "suites", name);

/** The named folder if it holds a suite, otherwise the suite of that name if there is one. Refuses the file of a suite. */
export function suiteNamed(settings: Settings, cwd: string, word: string): SuiteDirectory {
  const named = new SuiteDirectory(folderOf(settings, word));
  const here = new SuiteDirectory(resolve(cwd, word));
  if (!here.exists && !named.exists && existsSync(resolve(cwd, word)) && /\.ya?ml$/.test(word))
    throw badInput(
      `${word} is the file of a suite; name the folder that a run of it writes, which warpfarm suite run ${shellWord(word)} begins`,
    );
  return here.exists || !named.exists ? here : named;
}
