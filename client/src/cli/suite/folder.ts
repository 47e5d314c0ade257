/** Folders of suites: named by a path, or by a suite's name in the usual place. */
import { join, resolve } from "node:path";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { Settings } from "../flags/settings.ts";

export const folderOf = (settings: Settings, name: string): string => join(settings.logDir, "suites", name);

/** The named folder if it holds a suite, otherwise the suite of that name if there is one. */
export function suiteNamed(settings: Settings, cwd: string, word: string): SuiteDirectory {
  const named = new SuiteDirectory(folderOf(settings, word));
  const here = new SuiteDirectory(resolve(cwd, word));
  return here.exists || !named.exists ? here : named;
}
