/** Finds a module to fork. */
import { fileURLToPath } from "node:url";

/** Path of `name` next to the calling module. A caller in `src/*.ts` (a test) gets the compiled one in `dist`. */
export function moduleBeside(callerUrl: string, name: string): string {
  const path = fileURLToPath(new URL(`${name}.js`, callerUrl));
  return callerUrl.endsWith(".ts") ? path.replace(/([\\/])src([\\/](?!.*[\\/]src[\\/]))/, "$1dist$2") : path;
}
