/** Section taken of in-use: a GPU used by other processes, and labels, as users of the command line see them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Expectations, otherProcess } from "./shared/expectations.mjs";
import { openHome, until } from "./shared/processes.mjs";
import { peer, taskName } from "./shared/proof-facts.mjs";
import { median, outFolder } from "./shared/sections.mjs";

const { home, start } = openHome("in-use");
const short = ["--measure", "repeat=2,min_repeat=20ms"];
const trials = 128;
const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";
const descendants = (pid) => {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const below = (of) => rows.map((row) => row.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === of);
  const all = (of) => below(of).flatMap(([child]) => [child, ...all(child)]);
  return all(pid);
};

/** A farm of processes started from the command line: a tracker, a builder, and the runners of a scene. */
class Farm {
  wanted = new Expectations();
  #parts = [];
  #at = [];

  async #part(ready, ...args) {
    const process = start(...args);
    this.#parts.push(process);
    const [, word] = (await until(args[0], 60, () => ready.exec(process.said()))).found;
    return { process, word };
  }
  async open() {
    const listen = ["--listen", "127.0.0.1:0", "--http", "none", "--data", join(home, "farm")];
    const { word: address } = await this.#part(/^tracker ready grpc=(\S+)/m, "tracker", ...listen);
    this.#at = ["--tracker", address];
    await this.#part(/^(builder) ready/m, "builder", ...this.#at);
  }
  /** Its process, when it is ready. */
  async runner(name, ...flags) {
    const on = ["--device", "cuda:0", "--node", name, ...flags];
    return (await this.#part(/^runner ready (\S+)/m, "runner", ...this.#at, ...on)).process;
  }
  command(name, ...args) {
    return start(name, ...args, ...this.#at);
  }
  async node(name) {
    const { stdout } = await this.command("nodes", "--json").ended;
    return JSON.parse(stdout).nodes.find(({ node, role, state }) => node === name && role === "runner" && state !== "LOST");
  }
  /** When the node is suspect: { found: the node, seconds }. */
  suspect(name, seconds) {
    return until("SUSPECT", seconds, async () => {
      const node = await this.node(name);
      return node?.state === "SUSPECT" && node;
    });
  }
  measure(...flags) {
    return this.command("measure", taskName, "--index", String(peer.bestIndex), ...short, "--json", ...flags);
  }
  /**
   * Ends the other process and waits; the outcome of `job`, and a text that says when the node was well and when the outcome
   * came.
   */
  async goesOn(other, name, job) {
    await other.leave();
    const begun = performance.now();
    const since = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
    const well = until("ACTIVE", 60, async () => (await this.node(name))?.state === "ACTIVE").then(since);
    const end = await job.ended.then((ended) => ({ ...ended, at: since() }));
    return { ...end, words: `exit ${end.code}; node well after ${await well}, result after ${end.at}` };
  }
  async close() {
    for (const process of this.#parts.reverse()) process.kill("SIGTERM");
    await Promise.all(this.#parts.map(({ ended }) => ended));
    writeFileSync(join(outFolder, "in-use-parts.txt"), this.#parts.map((part) => part.said()).join("\n"));
  }
}
const timed = ({ stdout }) => (stdout === "" ? undefined : JSON.parse(stdout).result?.kind);

async function otherBeforeRunner(farm) {
  console.log("-- another process before the runner");
  const other = await otherProcess("idle");
  const first = await farm.runner("one");
  const { reason } = (await farm.suspect("one", 30)).found;
  farm.wanted.expect("it registers, and nodes says who has the GPU", /in use by process \d+;/.test(reason), reason);
  const waiting = farm.measure();
  const quiet = await until("the silence to be explained", 60, () => /no result for .*/.exec(waiting.said()));
  farm.wanted.expect("measure says why nothing comes", /in use by process \d+/.test(quiet.found[0]), quiet.found[0]);
  const after = await farm.goesOn(other, "one", waiting);
  farm.wanted.expect("the other process ends, and it is measured", timed(after) === "timed", after.words);
  const well = await farm.node("one");
  const isWell = well?.state === "ACTIVE" && well.reason === null;
  farm.wanted.expect("nodes: the runner works", isWell, { ...well, devices: undefined });
  return first;
}

async function labelsAndMemory(farm) {
  console.log("-- labels and memory");
  const { labels } = (await farm.node("one")) ?? {};
  farm.wanted.expect("its label", labels?.use === "exclusive", labels);
  const places = { "use=exclusive,memory>=80GB": 0, "use=shared": 3, "memory>=100GB": 3 };
  for (const [where, code] of Object.entries(places)) {
    const said = await farm.measure("--where", where).ended;
    const words = code === 0 ? `exit ${said.code}, ${timed(said)}` : `exit ${said.code}, ${lastLine(said.stderr)}`;
    farm.wanted.expect(`measure --where ${where}`, said.code === code, words);
  }
  const where = ["--where", "use=exclusive,memory>=40GB"];
  const tuned = await farm.command("tune", taskName, "--trials", "16", ...where, "--finalists", "0", ...short, "--json").ended;
  const report = tuned.code === 0 ? JSON.parse(tuned.stdout) : {};
  farm.wanted.expect(`tune ${where.join(" ")}`, report.trials === 16, `exit ${tuned.code}, ${report.trials} trials`);
}

const logOf = (name) => join(home, `${name}.jsonl`);
const linesOf = (name) => (existsSync(logOf(name)) ? readFileSync(logOf(name), "utf8").split("\n").slice(0, -1) : []);
/** The timed configs: seconds by config, and the number of attempts. */
const timesOf = (name) =>
  new Map(
    linesOf(name)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .filter(({ result }) => result[1] === 0)
      .map(({ config, result, warpfarm }) => [config.index, { seconds: median(result[0]), attempt: warpfarm.attempt }]),
  );

async function otherDuringTune(farm) {
  console.log("-- another process in the middle of a tune");
  const tune = (name) => {
    const search = ["--tuner", "random", "--seed", "1", "--trials", String(trials), "--log", logOf(name)];
    return farm.command("tune", taskName, ...search, "--finalists", "0", ...short, "--json");
  };
  const quietTune = await tune("quiet").ended;
  // The same configs again, already built, so that the device takes most of the time.
  const disturbed = tune("disturbed");
  await until("a quarter of the trials", 60, () => linesOf("disturbed").length >= trials / 4);
  const before = linesOf("disturbed").length;
  const other = await otherProcess("busy");
  const beside = await farm.suspect("one", 30);
  const { reason } = beside.found;
  const told = linesOf("disturbed").length;
  farm.wanted.expect(
    "nodes says who came",
    /in use by process \d+/.test(reason),
    `${beside.seconds.toFixed(1)} s after it was there, ${told - before} results since its start: ${reason}`,
  );
  await new Promise((next) => setTimeout(next, 12_000));
  const since = linesOf("disturbed").length - told;
  farm.wanted.expect("nothing is measured while it is there, tried again or not", since <= 1, `${since} results in 12 s`);
  const gone = await farm.goesOn(other, "one", disturbed);
  farm.wanted.expect("the other process ends, and so does the tune", gone.code === 0, gone.words);
  const [alone, among] = [timesOf("quiet"), timesOf("disturbed")];
  const ratios = [...among].map(([config, { seconds }]) => seconds / (alone.get(config)?.seconds ?? Number.NaN));
  const further = [...among.values()].filter(({ attempt }) => attempt > 1).length;
  farm.wanted.expect(
    "every time is the one that the same config has in a quiet tune, within 5 %",
    quietTune.code === 0 && among.size > trials / 4 && alone.size === among.size && ratios.every((x) => x > 0.95 && x < 1.05),
    `${alone.size} and ${among.size} of ${trials} timed, ratios ${Math.min(...ratios).toFixed(4)} to ${Math.max(...ratios).toFixed(4)}, median ${median(ratios).toFixed(4)}; ${further} at a further attempt`,
  );
}

async function secondRunner(farm) {
  console.log("-- a second runner on the same GPU");
  const { code, stderr } = await farm.command("runner", "--device", "cuda:0", "--node", "two").ended;
  const isSaid = /belongs to another runner on this host/.test(stderr);
  farm.wanted.expect("ends, and says why", isSaid, `exit ${code}, ${lastLine(stderr)}`);
}

async function otherAfterKill(farm, first) {
  console.log("-- another process while the runner's children were killed");
  const other = await otherProcess("idle");
  for (const pid of descendants(first.pid)) process.kill(pid, "SIGKILL");
  const held = farm.measure();
  const { reason } = (await farm.suspect("one", 60)).found;
  farm.wanted.expect("nodes says who has the GPU", /in use by process \d+/.test(reason), reason);
  const came = await farm.goesOn(other, "one", held);
  farm.wanted.expect("the other process ends, and the job is measured", timed(came) === "timed", came.words);
}

async function sharingRunner(farm, first) {
  console.log("-- a runner that shares");
  first.kill("SIGTERM");
  const { code } = await first.ended;
  farm.wanted.expect("the first one ends", code === 143, `exit ${code}`);
  const other = await otherProcess("idle");
  await farm.runner("three", "--allow-shared");
  const shared = await farm.node("three");
  const works = shared?.state === "ACTIVE" && shared.labels.use === "shared";
  farm.wanted.expect("works beside another process", works, shared?.labels);
  const mine = await farm.measure("--where", "use=shared").ended;
  farm.wanted.expect("measure --where use=shared", timed(mine) === "timed", `exit ${mine.code}`);
  const none = await farm.measure("--where", "use=exclusive").ended;
  farm.wanted.expect("measure --where use=exclusive", none.code === 3, `exit ${none.code}, ${lastLine(none.stderr)}`);
  await other.leave();
}

export async function takenSection() {
  const farm = new Farm();
  try {
    await farm.open();
    const first = await otherBeforeRunner(farm);
    await labelsAndMemory(farm);
    await otherDuringTune(farm);
    await secondRunner(farm);
    await otherAfterKill(farm, first);
    await sharingRunner(farm, first);
    return farm.wanted.end();
  } finally {
    await farm.close();
  }
}
