import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first executable file of this name in the folders of a search path; an empty folder is the present one. */
export const executableOn = (searchPath: string, name: string): string | undefined =>
  searchPath
    .split(delimiter)
    .map((folder) => join(folder || ".", name))
    .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
