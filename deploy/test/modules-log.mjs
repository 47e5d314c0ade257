/** Preloaded by --import: appends the URL of every module that is loaded, one per line, to the file that MODULES_LOG names. */
import { register } from "node:module";

const hooks = `
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(process.env.MODULES_LOG, url + "\\n");
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
