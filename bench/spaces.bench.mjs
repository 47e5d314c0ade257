/**
 * What it costs to count the configs that constraints allow, in spaces of 10^9 to 10^12: those whose partial configs leave few
 * different constraints are counted; the others are refused after a fixed number of checks (compiler/src/space/valid-configs.ts).
 * Processor time of this process, and its memory at the end; each space once, cold.
 */
import { problemSpace } from "@warpfarm/compiler/language";
import { table } from "./table.mjs";

const names = (count) => Array.from({ length: count }, (_, i) => `k${i}`);
const usual = () => "range(1, 11)";
/** No two knobs have the same values, so hardly two partial products are equal. */
const squares = (i) => Array.from({ length: 10 }, (_, j) => 7 * j * j + i + 1);
/**
 * @type {readonly (readonly [what: string, knobs: number, constraints: (k: readonly string[]) => string[], values?: (i: number)
 * => unknown])[]}
 */
const spaces = [
  ["9 knobs, a sum and a divisor", 9, (k) => [`${k.join(" + ")} <= 40`, "k0 % k1 == 0"]],
  ["12 knobs, a sum", 12, (k) => [`${k.join(" + ")} <= 60`]],
  ["12 knobs, pairs", 12, (k) => k.slice(1).map((name, i) => `${name} % ${k[i]} == 0`)],
  ["12 knobs, the product's rest", 12, (k) => [`${k.join(" * ")} % 9973 < 10`]],
  ["12 knobs of other values, their product's rest", 12, (k) => [`${k.join(" * ")} % 9973 < 10`], squares],
];

export function run() {
  const rows = spaces.map(([what, count, constraints, valuesOf = usual]) => {
    const knobs = names(count);
    const parameters = knobs.map((Name, i) => ({ Name, Values: valuesOf(i) }));
    const space = problemSpace({ ConfigurationSpace: { TuningParameters: parameters, Conditions: constraints(knobs) } });
    if (!space.ok) throw new Error(space.error);
    const before = process.cpuUsage();
    let answer;
    try {
      answer = space.value.valid.count.toExponential(3);
    } catch (error) {
      answer = /within \d+ checks/.exec(String(error))?.[0] ?? String(error);
    }
    const { user, system } = process.cpuUsage(before);
    const mb = Math.round(process.memoryUsage().rss / 2 ** 20);
    return { space: what, configs: space.value.size, answer, seconds: (user + system) / 1e6, mb };
  });
  table("counting", rows);
}
