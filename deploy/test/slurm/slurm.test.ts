/**
 * deploy/slurm: with a stand-in for sbatch and slurmd, and with Slurm's own daemons where they are installed, from a tracker with
 * TLS and tokens to a search whose runner Slurm ends and
 * follows by another.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test-support/free-port.ts";
import { needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { at } from "../deployment/places.ts";
import { makeSecrets } from "../deployment/readme-secrets.ts";
import { quickTune, tinyTask } from "../faults/campaign.ts";
import { processFarm } from "../process-farm.testing.ts";
import { bin, run, start } from "../warpfarm-process.ts";
import { Slurm } from "./slurm.ts";
import { begin, optionsOf } from "./stand-in.ts";

const [runners, builder] = ["warpfarm-runners.sbatch", "warpfarm-builder.sbatch"].map((name) => at(`deploy/slurm/${name}`)) as [
  string,
  string,
];
const directory = mkdtempSync(join(tmpdir(), "warpfarm-sbatch-"));
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

test("the options: an array of runners with one GPU each, and SIGTERM to the batch shell a minute before the limit", () => {
  const [ofRunners, ofBuilder] = [runners, builder].map((path) => optionsOf(readFileSync(path, "utf8")));
  expect(Object.fromEntries(ofRunners ?? [])).toMatchObject({ array: "0-31%4", gres: "gpu:1", ntasks: "1", requeue: "" });
  for (const options of [ofRunners, ofBuilder]) expect(options?.get("signal")).toBe("B:TERM@60");
  expect(ofBuilder?.has("array")).toBe(false);
  expect(() => optionsOf("#!/bin/bash\ntrue\n#SBATCH --time=1\n")).toThrow("after the first command");
});

/** Results in a log. */
const resultsIn = (path: string): readonly { readonly warpfarm: { readonly sequence: number } }[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .filter((line) => line.warpfarm?.sequence !== undefined)
    : [];

/** A program that says how it was called, and ends by SIGTERM as a runner does. */
function stub(files: string): string {
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "worker.env"), "WARPFARM_TRACKER=farm.lan:9290\nWARPFARM_TLS_CA=/farm/ca.crt\n");
  const path = join(files, "warpfarm");
  writeFileSync(
    path,
    `#!/bin/bash
trap 'echo drained; exit 0' TERM
echo "pid $$ tracker $WARPFARM_TRACKER ca $WARPFARM_TLS_CA"
echo "$@"
while :; do sleep 0.05; done
`,
  );
  chmodSync(path, 0o755);
  return path;
}

test.each([
  [
    "runner",
    runners,
    { SLURM_ARRAY_JOB_ID: "5", WARPFARM_DEVICE: "cuda:0" },
    "runner --device cuda:0 --token-file FILES/runner.token --node node1-7 --label slurm=5 --cache /tmp/warpfarm-7 --wait",
  ],
  [
    "builder",
    builder,
    { SLURM_CPUS_PER_TASK: "8" },
    "builder --token-file FILES/builder.token --slots 8 --node node1-7 --cache /tmp/warpfarm-7",
  ],
] as const)("the batch script becomes the %s, which alone gets Slurm's signal", async (_, script, job, words) => {
  const files = join(directory, "files");
  const variables = { ...job, WARPFARM_FILES: files, WARPFARM: stub(files) };
  const task = begin(script, directory, variables);
  await until(() => task.said().includes("--token-file"), "the program");
  expect(task.said()).toContain(`pid ${task.pid} tracker farm.lan:9290 ca /farm/ca.crt\n${words.replace("FILES", files)}\n`);
  task.signalBatchShell("SIGTERM");
  expect([await task.ended, task.said()]).toEqual([0, expect.stringContaining("drained")]);
});

test("without the folder of files, or without one of them, a job ends at once and says what is missing", async () => {
  const none = begin(runners, directory, {});
  expect([await none.ended, none.said()]).toEqual([1, expect.stringContaining("WARPFARM_FILES: names the folder")]);
  const empty = begin(builder, directory, { WARPFARM_FILES: directory });
  expect([await empty.ended, empty.said()]).toEqual([1, expect.stringContaining("worker.env: No such file")]);
});

describe("Slurm itself", () => {
  test("runs a builder and a runner of a farm with TLS and tokens; a runner that it ends is followed by the next, and no trial is lost", {
    timeout: 400_000,
  }, async (ctx) => {
    needs(ctx, "slurm", "cc", "openssl");
    await using slurm = await Slurm.start();
    const farm = processFarm();
    const { place } = farm;
    await makeSecrets(place.directory, "localhost", place.env);
    const address = `localhost:${await freePort()}`;
    const tls = ["--tls-cert", "farm.crt", "--tls-key", "farm.key", "--token-file", "secrets/warpfarm-tokens/tracker"];
    await farm.serving("tracker", "--listen", address, "--http", "none", ...tls);

    const files = slurm.path("files");
    mkdirSync(files);
    for (const role of ["runner", "builder"]) cpSync(place.path(`secrets/warpfarm-tokens/${role}`), join(files, `${role}.token`));
    const settings = { WARPFARM_TRACKER: address, WARPFARM_TLS_CA: place.path("farm.crt"), XDG_RUNTIME_DIR: slurm.directory };
    writeFileSync(
      join(files, "worker.env"),
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(""),
    );
    writeFileSync(slurm.path("warpfarm"), `#!/bin/sh\nexec ${process.execPath} ${bin()} "$@"\n`, { mode: 0o755 });
    const set = `--export=PATH,WARPFARM_FILES=${files},WARPFARM=${slurm.path("warpfarm")},WARPFARM_DEVICE=cpu,SLURM_TMPDIR=${slurm.directory}`;
    await slurm.command("sbatch", set, "--cpus-per-task=1", builder);
    const submitted = await slurm.command("sbatch", "--parsable", set, "--array=0-1%1", "--cpus-per-task=1", runners);
    const logOf = (task: number) => slurm.path(`warpfarm-runner-${submitted}-${task}.log`);
    const says = (task: number, words: string) =>
      until(() => existsSync(logOf(task)) && readFileSync(logOf(task), "utf8").includes(words), `task ${task} to say ${words}`);
    await says(0, "runner ready");

    const tune = place.path("tune.jsonl");
    const connection = ["--tracker", address, "--tls-ca", "farm.crt", "--token-file", "client.token"];
    const trials = 12;
    const search = start(place, ["tune", ...tinyTask, ...quickTune, "--trials", `${trials}`, "--log", tune, ...connection]);
    await until(() => resultsIn(tune).length >= 3, "some trials");
    // As at a limit: SIGTERM to the batch shell. The next task of the array takes its place.
    await slurm.command("scancel", "--batch", "--signal=TERM", `${submitted}_0`);
    await says(0, '"msg":"ended"');
    await says(1, "runner ready");
    const { code, stderr } = await search.finished;
    expect(code, stderr).toBe(0);
    const sequences = resultsIn(tune).map((line) => line.warpfarm.sequence);
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
    const { stdout } = await run(place, ["nodes", ...connection, "--json"]);
    expect(stdout).toContain(`"slurm":"${submitted}"`);
  });
});
