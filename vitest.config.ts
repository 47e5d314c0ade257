import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { builtModules, isWatching, sourcesOf } from "./test-support/built.ts";
import { isFull } from "./test-support/campaign.ts";
import { farmsFirst } from "./test-support/farms-first.ts";

// A zone with half hours and summer time, for each process of a test: what is read or written in local time is wrong in it.
process.env.TZ = "America/St_Johns";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const all = [
  "common",
  "records",
  "web",
  "proto",
  "worker",
  "compiler",
  "templates",
  "tracker",
  "builder",
  "runner",
  "client",
  "deploy",
];
const built = isWatching(process.argv) ? undefined : builtModules(all.map((name) => at(name)));

// Node reads the certificate authorities of this file at each start, which takes longer than the start. Only npm, in the
// campaign, reaches beyond this machine.
if (!isFull) delete process.env.NODE_EXTRA_CA_CERTS;

// Tests import the sources, or a build that is not older than any of them; only tests that start processes need `npm run build`
// first.
export default defineConfig({
  resolve: {
    alias: all.flatMap((name) => sourcesOf(name, at(name))),
  },
  ...(built && { plugins: [built] }),
  test: {
    ...(built && { server: { deps: { external: [new RegExp(`/(?:${all.join("|")})/dist/`)] } } }),
    globalSetup: [at("test-support/run-directory.ts")],
    setupFiles: [at("test-support/seed.ts"), at("test-support/processor-time.ts"), at("test-support/show-heard.ts")],
    include: ["*/src/**/*.test.ts", "*/test/**/*.test.ts"],
    // For those that hang. A busy machine takes its time, and no test's verdict may depend on it: the campaign's 2,000 random
    // programs take 15 minutes beside others.
    testTimeout: isFull ? 7_200_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    // Four more than two cores: much of what the process tests do is waiting, for leases to end and for servers that are silent.
    maxWorkers: 6,
    // A worker keeps its modules from file to file: loading them anew for each costs more than most files take. So no test may
    // change a module's state, or the process's, for those after it.
    isolate: false,
    // V8 optimizes a function when it has run for so many bytes of code, by default 67,584. Tests run thousands of functions made
    // for one schedule each, over before that pays: the random schedules take two thirds of the processor time with this. The
    // first compilation, which takes little, is made at once in its place.
    // The next two: PGlite is not compiled a second time, optimized, which pays after minutes. The last two: lowering makes many
    // objects that die at once, and more of them are dead when a larger space of young ones is full.
    execArgv: [
      "--always-sparkplug",
      "--interrupt-budget=1000000",
      "--no-wasm-tier-up",
      "--no-wasm-dynamic-tiering",
      "--max-semi-space-size=64",
      "--min-semi-space-size=32",
    ],
    sequence: { sequencer: farmsFirst(all) },
  },
});
