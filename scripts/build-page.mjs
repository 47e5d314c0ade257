/**
 * Builds the page's assets into web/dist/page: `node scripts/build-page.mjs`. It does nothing when
 * none of their inputs has changed.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const out = at("web/dist/page");
const mark = join(at("web/dist"), "page.digest");

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Digest of the sources, of our bundled packages, and of the versions of all other packages. */
function digestOfInputs() {
  const hash = createHash("sha256");
  const bundled = [at("compiler/dist"), at("common/dist")].flatMap(filesOf).filter((file) => file.endsWith(".js"));
  const files = [
    ...filesOf(at("web/page")),
    at("web/src/api.ts"),
    at("records/dist/group-by.js"),
    at("web/vite.config.mjs"),
    at("package-lock.json"),
    at("scripts/build-page.mjs"),
    ...bundled,
  ];
  for (const file of files) hash.update(file).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}

const digest = digestOfInputs();
if (!existsSync(mark) || readFileSync(mark, "utf8") !== digest || !existsSync(join(out, "index.html"))) {
  const { build } = await import("vite");
  await build({ configFile: at("web/vite.config.mjs"), root: at("web/page") });
  writeFileSync(mark, digest);
}
