/**
 * Is lowering slower than it was? `node bench/lower-two.mjs BEFORE [ROUNDS]`: BEFORE is a built checkout of another commit, this
 * one is built too. Both lower and verify the corpus of `npm run codegen-diff` (trace to checked kernels) in turns, B A B A, each
 * in a process of its own that stays warm; a round of both comes first that does not count. Of each program the median of its
 * rounds, in milliseconds of processor; programs that one of the two refuses are left out.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { encodeProgram } from "@warpfarm/compiler";
import { createViteServer } from "vitest/node";
import { saveResults } from "./results.mjs";
import { medianOf, quantile, table, takeTables } from "./table.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [given, rounds = "7"] = process.argv.slice(2);
if (given === undefined || !(Number(rounds) >= 1)) {
  console.error("usage: node bench/lower-two.mjs BEFORE [ROUNDS]; BEFORE is a built checkout");
  process.exit(2);
}
const before = resolve(given);

/** Documents of the corpus's programs, by the kind of their target. */
async function documents() {
  const server = await createViteServer({
    root,
    configFile: join(root, "vitest.config.ts"),
    logLevel: "error",
    server: { middlewareMode: true, watch: null, ws: false, fs: { strict: false } },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
  try {
    const { corpus } = await server.ssrLoadModule("/client/test/codegen/corpus.ts");
    return [...corpus()].map(({ program: { graph, trace, target, intrinsics } }) => ({
      kind: target.split("/")[0],
      text: new TextDecoder().decode(encodeProgram(graph, trace, target, intrinsics).bytes),
    }));
  } finally {
    await server.close();
  }
}

/** A warm process of a checkout; each call is one round of all programs. */
function processOf(checkout, file) {
  const child = spawn(process.execPath, [join(root, "bench/lower/child.mjs"), checkout, file], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    round: async () => {
      child.stdin.write("\n");
      const { value, done } = await lines.next();
      if (done) throw new Error(`the process of ${checkout} ended`);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

const commitOf = (checkout) =>
  execFileSync("git", ["rev-parse", "--short=10", "HEAD"], { cwd: checkout, encoding: "utf8" }).trim();

const folder = mkdtempSync(join(tmpdir(), "warpfarm-lower-"));
try {
  const programs = await documents();
  const file = join(folder, "programs.json");
  writeFileSync(file, JSON.stringify(programs.map(({ text }) => text)));
  const sides = [before, root].map((checkout) => ({
    ...processOf(checkout, file),
    rounds: /** @type {(number | null)[][]} */ ([]),
  }));
  for (let round = 0; round <= Number(rounds); round++)
    for (const side of sides) {
      const times = await side.round();
      if (round > 0) side.rounds.push(times);
    }
  for (const { end } of sides) end();
  const medians = sides.map((side) => programs.map((_, i) => medianOf(side.rounds.map((times) => times[i]))));
  const both = [...programs.keys()].filter((i) => sides.every(({ rounds: [first] }) => first[i] !== null));
  const rows = ["cuda", "cpu", "all"].map((kind) => {
    const of = both.filter((i) => kind === "all" || programs[i].kind === kind);
    const [was, is] = medians.map((times) => of.reduce((sum, i) => sum + times[i], 0));
    const ratios = of.map((i) => medians[1][i] / medians[0][i]);
    return {
      programs: `${kind}, ${of.length}`,
      "before, ms": was.toFixed(1),
      "now, ms": is.toFixed(1),
      "now / before": (is / was).toFixed(3),
      "of one program, median": medianOf(ratios).toFixed(3),
      "95th": quantile(ratios, 0.95).toFixed(3),
    };
  });
  table(`lower and verify, ${commitOf(before)} and ${commitOf(root)}, sums of medians of ${rounds} rounds`, rows);
  console.log(`${programs.length - both.length} programs that one of them refuses are left out`);
  saveResults("lower-two", `node bench/lower-two.mjs BEFORE ${rounds} # at ${commitOf(before)}`, takeTables());
} finally {
  rmSync(folder, { recursive: true });
}
