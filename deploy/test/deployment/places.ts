/** Paths in the repository. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const at = (path: string): string => root + path;
