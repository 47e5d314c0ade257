/** Statistics and tables of the benches. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}
export { medianSeconds as medianOf } from "@warpfarm/common";

const printed = {};

/** Prints rows of equal keys as a Markdown table, and keeps them under a name for the file of figures (results.mjs). */
export function table(name, rows) {
  printed[name] = rows;
  const keys = Object.keys(rows[0]);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(keys), line(keys.map(() => "---")), ...rows.map((row) => line(keys.map((key) => row[key])))].join("\n"));
}

export function takeTables() {
  const tables = { ...printed };
  for (const name of Object.keys(printed)) delete printed[name];
  return tables;
}
