/** For `node --import`: importing koffi or PGlite is an error, as on a machine where they cannot be installed. */
import { register } from "node:module";

const hook = `
export function resolve(specifier, context, next) {
  if (/^(?:koffi|@koromix\\/|@electric-sql\\/)/.test(specifier)) throw new Error(specifier + " was imported");
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
