/**
 * For `node --import`: importing koffi or PGlite is an error, as on a machine where they cannot be installed; so is to require
 * them, as a bundle does.
 */
import Module, { register } from "node:module";

const refused = /^(?:koffi|@koromix\/|@electric-sql\/)/;
const hook = `
export function resolve(specifier, context, next) {
  if (${refused}.test(specifier)) throw new Error(specifier + " was imported");
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const load = Module._load;
Module._load = function (specifier, ...rest) {
  if (refused.test(specifier)) throw new Error(`${specifier} was imported`);
  return load.call(this, specifier, ...rest);
};
