import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { FarmError, systemClock, toWorkerId } from "@warpfarm/common";
import { type FarmHandlers, type FarmSnapshot, serve, snapshotToWire } from "@warpfarm/proto";
import { describe, expect, onTestFinished, test } from "vitest";
import { reaching } from "../../search/reaching.ts";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { channelHere } from "../farm/farm-flags.ts";

const facts = { key: "cpu/x86-64-v3", name: "a processor", uuid: "u", node: "box", driver: "" };
const common = {
  node: "box",
  state: "ACTIVE",
  labels: { site: "lab" },
  lastSeenMs: systemClock.now() - 3000,
  leases: 1,
  toolchains: [],
} as const;
const snapshot: FarmSnapshot = {
  nodes: [
    {
      ...common,
      workerId: toWorkerId("w1"),
      role: "runner",
      devices: [{ facts, memoryBytes: 1, busy: true, limits: { threads: 8 } }],
      slots: 0,
      targets: [],
    },
    {
      ...common,
      workerId: toWorkerId("w3"),
      node: "shaky",
      state: "SUSPECT",
      reason: { what: "quarantined: 5 faults in a row", detail: "no" },
      role: "runner",
      devices: [{ facts, memoryBytes: 1, busy: false, limits: {} }],
      slots: 0,
      targets: [],
    },
    { ...common, workerId: toWorkerId("w2"), role: "builder", devices: [], slots: 4, targets: ["cpu/x86-64-v3"] },
    {
      ...common,
      workerId: toWorkerId("w4"),
      node: "gone",
      state: "LOST",
      role: "runner",
      devices: [{ facts, memoryBytes: 1, busy: false, limits: {} }],
      slots: 0,
      targets: [],
    },
    { ...common, workerId: toWorkerId("w5"), node: "gone", state: "LOST", role: "builder", devices: [], slots: 4, targets: [] },
  ],
  queues: [
    { key: "cpu/x86-64-v3", waitingBuilds: 3, waitingRuns: 2, running: 1, oldestRunMs: 12_000, devices: 1, idleDevices: 0 },
  ],
  sessions: [],
};

/** A tracker that only lists nodes. Resolves to its address. */
async function tracker(listNodes: FarmHandlers["ListNodes"]): Promise<string> {
  const refuse = () => Promise.reject(new FarmError("INTERNAL", "not of this test"));
  const none = async function* () {};
  const farm: FarmHandlers = {
    ListNodes: listNodes,
    OpenSession: refuse,
    CloseSession: refuse,
    SettleTrials: refuse,
    Measure: none,
  };
  const server = await serve({ farm }, { listen: "127.0.0.1:0" });
  onTestFinished(() => server.close(0));
  return `127.0.0.1:${server.port}`;
}

describe("nodes", () => {
  test("what no worker reads is told beside its queue", async () => {
    const sentence = "no live worker reads version 3 of manifests (2 to run; the runners there read 1, 2): update one of them";
    const queues = snapshot.queues.map((queue) => ({ ...queue, unread: [sentence] }));
    const address = await tracker(async () => ({ snapshot: snapshotToWire({ ...snapshot, queues }) }));
    const people = await runCli(["nodes", "--tracker", address], { env: { COLUMNS: "200" } });
    expect(people.stdout).toContain(`cpu/x86-64-v3: ${sentence}\n`);
    const said = await runCli(["nodes", "--json", "--tracker", address]);
    expect(JSON.parse(said.stdout).queues).toMatchObject([{ unread: [sentence] }]);
  });

  test("lists runners and builders by key, for people and as one line of JSON", async () => {
    const address = await tracker(async () => ({ snapshot: snapshotToWire(snapshot) }));
    const people = await runCli(["nodes", "--tracker", address], { env: { COLUMNS: "200" } });
    expect(people.stdout).toMatch(/cpu\/x86-64-v3 {2}runner {3}box {4}a processor, busy +ACTIVE {3}\d+ s ago {2}site=lab/);
    expect(people.stdout).toMatch(/cpu\/x86-64-v3 {2}builder {2}box {4}1\/4 slots busy/);
    expect(people.stdout).toMatch(/shaky .* SUSPECT .* quarantined: 5 faults in a row; no\n/);
    // Nobody knows what those do that went silent.
    expect(people.stdout).toMatch(/runner +gone +a processor +LOST/);
    expect(people.stdout).toMatch(/builder +gone +4 slots +LOST/);
    expect(people.stdout).toContain("cpu/x86-64-v3: 3 to build, 2 to run (12 s), 1 running; 0 of 1 devices idle");
    const said = await runCli(["nodes", "--json"], { env: { WARPFARM_TRACKER: address } });
    expect(said.stdout.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(said.stdout)).toMatchObject({
      nodes: [
        { role: "runner", keys: ["cpu/x86-64-v3"], reason: null, devices: [{ memory_bytes: 1, limits: { threads: 8 } }] },
        { state: "SUSPECT", reason: { what: "quarantined: 5 faults in a row", detail: "no" } },
        { role: "builder", slots: 4 },
        { state: "LOST" },
        { state: "LOST" },
      ],
      queues: [{ waiting_runs: 2 }],
    });
  });
  test("a builder's many targets are told as ranges, in JSON each", async () => {
    const cuda = ["90a", "75", "80", "86", "87", "89", "90", "100", "100a", "103a", "120"].map((n) => `cuda/sm_${n}`);
    const cpu = ["v1", "v2", "v3", "v4"].map((level) => `cpu/x86-64-${level}`);
    const builder = { ...common, role: "builder", devices: [], slots: 4 } as const;
    const nodes = [
      { ...builder, workerId: toWorkerId("w1"), node: "all", targets: [...cuda, ...cpu] },
      {
        ...builder,
        workerId: toWorkerId("w2"),
        node: "some",
        targets: ["cpu/arm64", "cpu/x86-64-v1", "cpu/x86-64-v3", "cpu/x86-64-v4"],
      },
      { ...builder, workerId: toWorkerId("w3"), node: "few", targets: ["cuda/sm_90", "cuda/sm_80", "cuda/sm_90a"] },
    ];
    const address = await tracker(async () => ({ snapshot: snapshotToWire({ nodes, queues: [], sessions: [] }) }));
    const people = (await runCli(["nodes", "--tracker", address], { env: { COLUMNS: "200" } })).stdout;
    const firstOf = (node: string) => new RegExp(`^(.*?) {2,}builder +${node} `, "m").exec(people)?.[1];
    expect(firstOf("all")).toBe("cuda/sm_90a..sm_103a, cuda/sm_75..sm_120, cpu/x86-64-v1..v4");
    expect(firstOf("some")).toBe("cpu/arm64, cpu/x86-64-v1, cpu/x86-64-v3, cpu/x86-64-v4");
    expect(firstOf("few")).toBe("cuda/sm_80, cuda/sm_90, cuda/sm_90a");
    const { nodes: told } = JSON.parse((await runCli(["nodes", "--tracker", address, "--json"])).stdout);
    expect(told.map((n: { readonly keys: unknown }) => n.keys)).toEqual(nodes.map((n) => n.targets));
  });
  test("rows fit 80 columns where nobody says how many there are, and lose nothing", async () => {
    const address = await tracker(async () => ({ snapshot: snapshotToWire(snapshot) }));
    const at = systemClock.now();
    const clock = { ...systemClock, now: () => at };
    const { stdout } = await runCli(["nodes", "--tracker", address], { clock });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^cpu\/x86-64-v3 +runner +box +a processor, busy +ACTIVE +\d+ s ago\n {2}labels site=lab\n/m);
    expect(stdout).toMatch(/^ {2}labels site=lab; why quarantined: 5 faults in a row; no$/m);
    const narrow = (await runCli(["nodes", "--tracker", address], { clock, env: { COLUMNS: "50" } })).stdout;
    expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(50);
    const letters = (text: string) =>
      text
        .replace(/[\s:;]/g, "")
        .split("")
        .sort()
        .join("");
    expect(letters(narrow)).toBe(letters(stdout));
  });
  test("colours are for terminals, and NO_COLOR turns them off", async () => {
    const address = await tracker(async () => ({ snapshot: snapshotToWire(snapshot) }));
    const on = async (given: { readonly isTTY?: boolean }, env: Readonly<Record<string, string>>) => {
      let said = "";
      await runCli(["nodes", "--tracker", address], { env, stdout: { write: (text) => (said += text), columns: 60, ...given } });
      return said;
    };
    const [plain, painted] = [await on({}, {}), await on({ isTTY: true }, {})];
    expect(painted).toContain("\u001b[32mACTIVE\u001b[0m");
    expect(painted).toContain("\u001b[31mLOST\u001b[0m");
    expect(plain).not.toContain("\u001b");
    expect(await on({ isTTY: true }, { NO_COLOR: "1" })).not.toContain("\u001b");
    expect(await on({ isTTY: true }, { TERM: "dumb" })).not.toContain("\u001b");
    // Colours move nothing.
    const withoutAges = (text: string) => text.replaceAll(/\d+ s ago/g, "");
    expect(withoutAges(stripVTControlCharacters(painted))).toBe(withoutAges(plain));
  });
  test("an empty farm says so", async () => {
    const address = await tracker(async () => ({ snapshot: snapshotToWire({ nodes: [], queues: [], sessions: [] }) }));
    expect((await runCli(["nodes", "--tracker", address])).stdout).toBe("no builder and no runner is registered\n");
  });
  test("a tracker that is not there is exit 3 and named", async () => {
    const said = await runCli(["nodes", "--tracker", "127.0.0.1:9"]);
    expect(said.code).toBe(3);
    expect(oneSentence(said)).toBe("warpfarm nodes: cannot reach the tracker at 127.0.0.1:9: nothing listens there");
  });
  test("a tracker that answers is not said to be away, whatever it lacks", async () => {
    const away = new FarmError("UNAVAILABLE", "the store cannot be reached: connect ECONNREFUSED 10.0.0.1:5432", {
      rule: "store.away",
    });
    const address = await tracker(() => Promise.reject(away));
    const said = await runCli(["nodes", "--tracker", address]);
    expect([said.code, oneSentence(said)]).toEqual([
      3,
      `warpfarm nodes: the tracker at ${address} cannot serve: the store cannot be reached: connect ECONNREFUSED 10.0.0.1:5432`,
    ]);
  });
  test("a tracker of the settings that is none is exit 2, and said to be theirs", async () => {
    const said = await runCli(["nodes"], { env: { WARPFARM_TRACKER: "host" } });
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      'warpfarm nodes: tracker of the settings is "host"; it takes host:port, for instance 127.0.0.1:9290',
    ]);
  });
  test.each([
    ["connection.no_tls", "it does not speak TLS; leave --tls-ca out"],
    [
      "connection.reset",
      "it ends connections at once; if it speaks TLS, give --tls-ca, or a --tls-cert of an authority that it knows",
    ],
    ["connection.refused", "nothing listens there"],
    ["connection.certificate", "it requires a client certificate: give --tls-cert and --tls-key"],
    ["connection.name", "no machine of that name is known"],
    ["connection.authority", "no authority that is known here signed its certificate; --tls-ca names the one that did"],
    ["connection.expired", "its certificate has expired; renew it there, or set this machine's clock"],
    ["connection.early", "its certificate is not valid yet; set this machine's clock, or that of the machine that made it"],
    [undefined, "self-signed certificate"],
  ])("no connection for %j: %s", async (rule, why) => {
    const error = new FarmError("UNAVAILABLE", "self-signed certificate", { rule });
    const failed = reaching("box:9290", Promise.reject(error));
    await expect(failed).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: `cannot reach the tracker at box:9290: ${why}`,
    });
  });
  test("a refused token is exit 2, in the tracker's words, and where it goes", async () => {
    const address = await tracker(() => Promise.reject(new FarmError("UNAUTHENTICATED", "a token is needed")));
    const said = await runCli(["nodes", "--tracker", address]);
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      "warpfarm nodes: a token is needed; --token-file or WARPFARM_TOKEN_FILE names the file that has it",
    ]);
  });
  test.each([
    [["--tracker", "host"], /--tracker is "host"; it takes host:port/],
    [
      ["--tracker", "127.0.0.1:1", "--token-file", "/nonexistent"],
      /--token-file names "\/nonexistent", which cannot be read: there is no such file or folder/,
    ],
    [["--tracker", "127.0.0.1:1", "--tls-ca", "."], /--tls-ca names "\.", which cannot be read: it is a folder, not a file/],
    [["--tracker", "127.0.0.1:1", "--tls-ca", fileURLToPath(import.meta.url)], /--tls-ca names ".*", which holds no certificate/],
    [["--all"], /unknown option '--all'/],
    [["gpu"], /too many/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["nodes", ...argv]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
  test("this machine's tracker, which nobody needs to name, is given the token too", () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "t"), "0123456789abcdef\n");
    const settings = { dataDir: cwd, cacheDir: cwd, logDir: cwd, configFile: join(cwd, "c") };
    expect(channelHere({ tokenFile: "t" }, settings, { cwd })).toEqual({ address: "127.0.0.1:9290", token: "0123456789abcdef" });
  });
  test("a token file without a token is refused before anything is sent", async () => {
    const file = join(scratch(), "token");
    writeFileSync(file, "\n");
    expect(oneSentence(await runCli(["nodes", "--tracker", "127.0.0.1:9", "--token-file", file]))).toContain(
      "first line is not a token",
    );
  });
});
