/**
 * `npm run bench [-- NAME ...]`: runs the named benches of this folder, or all that need no GPU. Each prints tables, which
 * bench/results keeps.
 */
import { readdirSync } from "node:fs";
import { saveResults } from "./results.mjs";
import { takeTables } from "./table.mjs";

const here = new URL(".", import.meta.url);
const known = readdirSync(here)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.replace(".bench.mjs", ""));
const asked = process.argv.slice(2);
for (const name of asked) {
  if (!known.includes(name)) {
    console.error(`there is no bench ${JSON.stringify(name)}; known are ${known.join(", ")}`);
    process.exit(2);
  }
}
for (const name of asked.length > 0 ? asked : known) {
  console.log(`\n## ${name}`);
  const { run } = await import(new URL(`${name}.bench.mjs`, here).href);
  await run();
  const tables = takeTables();
  if (Object.keys(tables).length > 0) saveResults(name, `npm run bench -- ${name}`, tables);
}
