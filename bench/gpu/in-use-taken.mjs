/** Section taken of in-use: a GPU in other hands, and labels, as people at the command line see them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Expectations, stranger } from "./shared/expectations.mjs";
import { openHome, until } from "./shared/processes.mjs";
import { peer, TASK } from "./shared/proof-facts.mjs";
import { median, outFolder } from "./shared/sections.mjs";

const { home, start } = openHome("in-use");
const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";
const descendants = (pid) => {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const below = (of) => rows.map((row) => row.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === of);
  const all = (of) => below(of).flatMap(([child]) => [child, ...all(child)]);
  return all(pid);
};

export async function takenSection() {
  const wanted = new Expectations();
  const parts = [];
  const part = async (ready, ...args) => {
    const process = start(...args);
    parts.push(process);
    const [, word] = (await until(args[0], 60, () => ready.exec(process.said()))).found;
    return { process, word };
  };
  try {
    const listen = ["--listen", "127.0.0.1:0", "--http", "none", "--data", join(home, "farm")];
    const { word: address } = await part(/^tracker ready grpc=(\S+)/m, "tracker", ...listen);
    const at = ["--tracker", address];
    await part(/^(builder) ready/m, "builder", ...at);
    const runner = async (name, ...flags) =>
      (await part(/^runner ready (\S+)/m, "runner", ...at, "--device", "cuda:0", "--node", name, ...flags)).process;
    const nodeOf = async (name) => {
      const { stdout } = await start("nodes", ...at, "--json").ended;
      return JSON.parse(stdout).nodes.find(({ node, role, state }) => node === name && role === "runner" && state !== "LOST");
    };
    const short = ["--repeat", "2", "--min-repeat", "20ms"];
    const measuring = (...flags) =>
      start("measure", TASK, ...at, "--index", String(peer.bestIndex), ...short, "--json", ...flags);
    const timed = ({ stdout }) => (stdout === "" ? undefined : JSON.parse(stdout).result?.kind);

    /** The stranger ends; what `job` comes to, and in words when the node was well and when it came. */
    const goesOn = async (other, name, job) => {
      await other.leave();
      const begun = performance.now();
      const since = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
      const well = until("ACTIVE", 60, async () => (await nodeOf(name))?.state === "ACTIVE").then(since);
      const end = await job.ended.then((ended) => ({ ...ended, at: since() }));
      return { ...end, words: `exit ${end.code}; node well after ${await well}, result after ${end.at}` };
    };

    console.log("-- a stranger before the runner");
    let other = await stranger("idle");
    const first = await runner("one");
    const suspect = await until("SUSPECT", 30, async () => {
      const node = await nodeOf("one");
      return node?.state === "SUSPECT" && node;
    });
    wanted.expect(
      "it registers, and nodes says who has the GPU",
      /in use by process \d+;/.test(suspect.found.reason),
      suspect.found.reason,
    );
    const waiting = measuring();
    const quiet = await until("the silence to be explained", 60, () => /no result for .*/.exec(waiting.said()));
    wanted.expect("measure says why nothing comes", /in use by process \d+/.test(quiet.found[0]), quiet.found[0]);
    const after = await goesOn(other, "one", waiting);
    wanted.expect("the stranger ends, and it is measured", timed(after) === "timed", after.words);
    const well = await nodeOf("one");
    wanted.expect("nodes: the runner works", well?.state === "ACTIVE" && well.reason === null, { ...well, devices: undefined });

    console.log("-- labels and memory");
    wanted.expect("its label", well?.labels.use === "exclusive", well?.labels);
    for (const [where, code] of [
      ["use=exclusive,memory>=80GB", 0],
      ["use=shared", 3],
      ["memory>=100GB", 3],
    ]) {
      const said = await measuring("--where", where).ended;
      const words = code === 0 ? `exit ${said.code}, ${timed(said)}` : `exit ${said.code}, ${lastLine(said.stderr)}`;
      wanted.expect(`measure --where ${where}`, said.code === code, words);
    }
    const tuned = await start(
      "tune",
      TASK,
      ...at,
      "--trials",
      "16",
      "--where",
      "use=exclusive,memory>=40GB",
      "--finalists",
      "0",
      ...short,
      "--json",
    ).ended;
    const report = tuned.code === 0 ? JSON.parse(tuned.stdout) : {};
    wanted.expect("tune --where use=exclusive,memory>=40GB", report.trials === 16, `exit ${tuned.code}, ${report.trials} trials`);

    console.log("-- a stranger in the middle of a tune");
    const trials = 128;
    const logOf = (name) => join(home, `${name}.jsonl`);
    const linesOf = (name) => (existsSync(logOf(name)) ? readFileSync(logOf(name), "utf8").split("\n").slice(0, -1) : []);
    const tune = (name) => {
      const search = ["--tuner", "random", "--seed", "1", "--trials", String(trials), "--log", logOf(name)];
      return start("tune", TASK, ...at, ...search, "--finalists", "0", ...short, "--json");
    };
    /** Those that were timed: seconds by config, and the attempts it took. */
    const timesOf = (name) =>
      new Map(
        linesOf(name)
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line))
          .filter(({ result }) => result[1] === 0)
          .map(({ config, result, warpfarm }) => [config.index, { seconds: median(result[0]), attempt: warpfarm.attempt }]),
      );
    const quietTune = await tune("quiet").ended;
    // Built already, the same configs again: the device is what takes time.
    const disturbed = tune("disturbed");
    await until("a quarter of the trials", 60, () => linesOf("disturbed").length >= trials / 4);
    const before = linesOf("disturbed").length;
    other = await stranger("busy");
    const beside = await until("SUSPECT", 30, async () => {
      const node = await nodeOf("one");
      return node?.state === "SUSPECT" && node;
    });
    const told = linesOf("disturbed").length;
    wanted.expect(
      "nodes says who came",
      /in use by process \d+/.test(beside.found.reason),
      `${beside.seconds.toFixed(1)} s after it was there, ${told - before} results since its start: ${beside.found.reason}`,
    );
    await new Promise((next) => setTimeout(next, 12_000));
    const since = linesOf("disturbed").length - told;
    wanted.expect("nothing is measured while it is there, tried again or not", since <= 1, `${since} results in 12 s`);
    const gone = await goesOn(other, "one", disturbed);
    wanted.expect("the stranger ends, and so does the tune", gone.code === 0, gone.words);
    const [alone, among] = [timesOf("quiet"), timesOf("disturbed")];
    const ratios = [...among].map(([config, { seconds }]) => seconds / (alone.get(config)?.seconds ?? Number.NaN));
    wanted.expect(
      "every time is the one that the same config has in a quiet tune, within 5 %",
      quietTune.code === 0 && among.size > trials / 4 && alone.size === among.size && ratios.every((x) => x > 0.95 && x < 1.05),
      `${alone.size} and ${among.size} of ${trials} timed, ratios ${Math.min(...ratios).toFixed(4)} to ${Math.max(...ratios).toFixed(4)}, median ${median(ratios).toFixed(4)}; ${[...among.values()].filter(({ attempt }) => attempt > 1).length} at a further attempt`,
    );

    console.log("-- a second runner on the same GPU");
    const second = start("runner", ...at, "--device", "cuda:0", "--node", "two");
    const ended = await second.ended;
    wanted.expect(
      "ends, and says why",
      /belongs to another runner on this host/.test(ended.stderr),
      `exit ${ended.code}, ${lastLine(ended.stderr)}`,
    );

    console.log("-- a stranger while the runner's children were killed");
    other = await stranger("idle");
    for (const pid of descendants(first.pid)) process.kill(pid, "SIGKILL");
    const held = measuring();
    const again = await until("SUSPECT", 60, async () => {
      const node = await nodeOf("one");
      return node?.state === "SUSPECT" && node;
    });
    wanted.expect("nodes says who has the GPU", /in use by process \d+/.test(again.found.reason), again.found.reason);
    const came = await goesOn(other, "one", held);
    wanted.expect("the stranger ends, and the job is measured", timed(came) === "timed", came.words);

    console.log("-- a runner that shares");
    first.kill("SIGTERM");
    const { code } = await first.ended;
    wanted.expect("the first one ends", code === 143, `exit ${code}`);
    other = await stranger("idle");
    await runner("three", "--allow-shared");
    const shared = await nodeOf("three");
    wanted.expect("works beside a stranger", shared?.state === "ACTIVE" && shared.labels.use === "shared", shared?.labels);
    const mine = await measuring("--where", "use=shared").ended;
    wanted.expect("measure --where use=shared", timed(mine) === "timed", `exit ${mine.code}`);
    const none = await measuring("--where", "use=exclusive").ended;
    wanted.expect("measure --where use=exclusive", none.code === 3, `exit ${none.code}, ${lastLine(none.stderr)}`);
    await other.leave();
    return wanted.end();
  } finally {
    for (const process of parts.reverse()) process.kill("SIGTERM");
    await Promise.all(parts.map(({ ended }) => ended));
    writeFileSync(join(outFolder, "in-use-parts.txt"), parts.map((part) => part.said()).join("\n"));
  }
}
