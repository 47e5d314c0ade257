/**
 * Where a module to fork lies. Children are plain Node processes and run compiled code, also when the caller runs from its
 * source.
 */
import { fileURLToPath } from "node:url";

/** Path of `name` beside the calling module; a caller in `src/*.ts` (tests) gets the compiled one in `dist`. */
export function moduleBeside(callerUrl: string, name: string): string {
  const path = fileURLToPath(new URL(`${name}.js`, callerUrl));
  return callerUrl.endsWith(".ts") ? path.replace(/([\\/])src([\\/](?!.*[\\/]src[\\/]))/, "$1dist$2") : path;
}
