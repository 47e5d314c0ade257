/**
 * Each text of each request holds once what a store or an index does not take, or what is no plain name of a field: NUL, a
 * mebibyte, a lone surrogate, `__proto__`. The same over HTTP. The answer says what is wrong, and is never INTERNAL or 500.
 */
import { request as httpRequest } from "node:http";
import * as grpc from "@grpc/grpc-js";
import { farmErrorCodes, Random } from "@warpfarm/common";
import { loadServices, protocolVersion } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { useFarms } from "../../test-support/farm/farms.ts";
import { asRegistered, builder, target } from "../../test-support/farm/scripted.ts";

const { farm, undo } = useFarms();

const digest = `sha256:${"5".repeat(64)}`;
const facts = { key: target, name: "a device", uuid: "u-1", node: "n", driver: "d" };
const result = {
  failed: { error_no: 3, rule: "r", message: "m", log: "l", mismatch: { buffer: "b", index: 0, expected: 1, got: 2, count: 1 } },
  finish_time: { seconds: 1_750_000_000, nanos: 0 },
  attempt: 1,
  device: facts,
  toolchain: "t",
};
const timed = {
  timed: {
    costs: [1],
    number: 1,
    busy: { seconds: 1, nanos: 0 },
    checked: true,
    observations: { throttle_reasons: ["hot"] },
    artifact: digest,
    paired: [{ artifact: digest, costs: [1], number: 1 }],
  },
  finish_time: { seconds: 1_750_000_000, nanos: 0 },
  attempt: 1,
  device: facts,
  toolchain: "t",
};
const filter = {
  ids: ["x/1"],
  task: "matmul",
  args: "[1]",
  template: "t",
  device: target,
  device_name: "a device",
  target,
  program: digest,
  session: "s",
  by: "local",
  outcome: "timed",
  origin: "measured",
};
const record = {
  version: 1,
  id: `autotvm/${digest}`,
  origin: { kind: "imported", by: "bob", format: "autotvm" },
  task: "matmul",
  args: [1, "x"],
  template: "t",
  template_version: "1",
  space: digest,
  search: { tuner: "auto" },
  config: { index: 1, code_hash: "c", entity: [["tile", "sp", [1]]] },
  trace: ["x"],
  program: digest,
  artifact: digest,
  target,
  toolchain: "cc",
  device: { key: target, name: "a device", uuid: "u", node: "n", driver: "d", sharing: "shared" },
  observations: { throttle_reasons: ["hot"] },
  result: { kind: "timed", costs: [1], checked: true },
  session: "s",
  labels: { team: "x" },
  timestamp_ms: 1,
  foreign: { r: "x" },
};

const told = [result, timed].map((run) => [
  {
    worker_id: "{worker}",
    epoch: "{epoch}",
    sequence: 1,
    running_lease_ids: ["l-1"],
    outcomes: [
      { lease_id: "l-2", epoch: 1, run },
      { lease_id: "l-3", epoch: 1, fault: { message: "m" } },
      { lease_id: "l-4", epoch: 1, build: { artifact: digest } },
      { lease_id: "l-5", epoch: 1, build: { failed: result } },
    ],
    health: { trouble: "t", checks: [{ ago: { seconds: 1, nanos: 0 }, ratio: 1 }] },
    free: [{ device: 0, count: 1 }],
    report_only: true,
  },
]);

/** What a table has in columns. So many are copied into it. */
const { version, id, origin, task, args, template, session, device, result: measured, timestamp_ms } = record;
const inColumns = { version, id, origin, task, args, template, target, session, device, result: measured, timestamp_ms };
const copied = 500;
const search = JSON.stringify({ version: 1, task: { template: "matmul" } });
/** A request of each kind that is accepted as it is, with every text that it may have. `{session}` is an open session. */
const requests: Readonly<Record<string, readonly (readonly object[])[]>> = {
  "farm.OpenSession": [
    [
      {
        request_id: "{new}",
        protocol_version: protocolVersion,
        task: "a task",
        selector: target,
        labels: { team: "x" },
        continues: "{session}",
        keep: "KEEP_SHARED",
        provenance: { search, space: digest, default_seconds: 1, library_seconds: 2 },
      },
    ],
  ],
  "farm.Measure": [
    [
      { start: { session_id: "{session}" } },
      {
        input: {
          sequence: 1,
          program: { digest },
          reference: { digest },
          others: [{ digest }],
          avoid_nodes: ["n"],
          proposal: { config: "{}", trial: 1, told: 0 },
        },
      },
    ],
  ],
  "farm.CloseSession": [[{ session_id: "{session}" }]],
  "farm.SettleTrials": [[{ session_id: "{session}", more_trials: 0 }]],
  "farm.ListNodes": [[{}]],
  "worker.Register": [
    [
      {
        protocol_version: protocolVersion,
        node: "n",
        instance_id: "i-{new}",
        labels: { team: "x" },
        builder: { program_versions: [1], slots: 1, targets: [target], toolchains: ["cc"], compiler_version: "1" },
      },
    ],
    [
      {
        protocol_version: protocolVersion,
        node: "n",
        instance_id: "i-{new}",
        labels: { team: "x" },
        runner: { manifest_versions: [1], devices: [{ device: 0, facts, memory_bytes: 1, limits: { threads: 4 } }] },
      },
    ],
  ],
  "worker.Synchronize": told,
  "artifact.Upload": [[{ header: { digest, size: 1 } }, { chunk: Buffer.from("x") }]],
  "artifact.Download": [[{ digest }]],
  "artifact.Stat": [[{ digests: [digest] }]],
  "admin.DrainNode": [[{ node: "n" }], [{ node: "n", undo: true }]],
  ...{ "admin.ListSessions": [[{}]], "admin.ListLeases": [[{}]] },
  "admin.CancelSession": [[{ session_id: "{session}", reason: "r" }]],
  "admin.PauseSession": [[{ session_id: "{session}" }]],
  "admin.ExtendSession": [[{ session_id: "{session}", trials: 1 }]],
  "admin.CollectGarbage": [[{}]],
  "record.Query": [
    [{ filter }],
    [{ filter: { task: "matmul" }, order: "fastest", cursor: "{cursor fastest}" }],
    [{ order: "newest", cursor: "{cursor newest}" }],
  ],
  "record.Best": [
    [{ task: "matmul", args: "[1]", device: target, device_name: "a device", origin: "any", l2: "warm", unchecked: true }],
  ],
  "record.Append": [[{ records: [record] }], [{ records: Array.from({ length: copied }, () => inColumns) }]],
  "record.Export": [[{ filter }]],
  "record.Delete": [[{ filter }]],
  "record.Share": [[{ filter }]],
  ...{ "record.SignReceipt": [[{ record: "r" }]], "record.ListReceiptKeys": [[{}]] },
  "suite.Create": [[{ request_id: "{new}", name: "s", plan: Buffer.from("x"), tasks: [{ task_id: "t", template: digest }] }]],
  "suite.Get": [[{ suite_id: "{suite}", log_of: "t" }]],
  "suite.Watch": [[{ suite_id: "{suite}" }]],
  "suite.Claim": [[{ worker: "w", limit: 1, templates: [digest] }]],
  "suite.Report": [[{ suite_id: "{suite}", task_id: "t", epoch: 1, ended: "done" }]],
  "suite.Cancel": [[{ suite_id: "{suite}" }]],
};

const random = new Random(20_261_127);
/** No compression makes it fit into an index. */
const long = Array.from({ length: 1 << 20 }, () => String.fromCharCode(33 + random.below(90))).join("");
const bad = ["a\0b", long.slice(0, 20_000), ...(isFull ? [long.slice(0, 3_000), "a\ud800b", "__proto__", "constructor"] : [])];
/** Of a record, which is written at once. */
const ofRecords = ["a\0b", long.slice(0, 3_000), long, "a\ud800b", "__proto__"];
const ofMany = ["a\0b", long.slice(0, 3_000)];

/** The value once for each text in it, and for each map with a name, with `text` in that place. */
function* spoiled(value: unknown, text: string, path = ""): Generator<readonly [path: string, value: unknown]> {
  if (typeof value === "string" && value !== "{epoch}") yield [path, text];
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return;
  if (Array.isArray(value)) {
    const some = value.length < copied ? [...value.keys()] : [1];
    for (const i of some) for (const [at, made] of spoiled(value[i], text, `${path}[${i}]`)) yield [at, value.with(i, made)];
    return;
  }
  for (const [name, each] of Object.entries(value))
    for (const [at, made] of spoiled(each, text, `${path}.${name}`)) yield [at, { ...value, [name]: made }];
  if (/\.(?:labels|limits|foreign)$/.test(path))
    yield [`a name of ${path}`, Object.fromEntries([[text, Object.values(value)[0]]])];
}

const mapped = (value: unknown, of: (text: string) => unknown): unknown => {
  if (typeof value === "string") return of(value);
  if (Array.isArray(value)) return value.map((each) => mapped(each, of));
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, of)]));
};

/** Texts and lists of a decoded message, by path, and whether they hold anything. */
function leaves(value: unknown, path: string, into: Map<string, boolean>): void {
  const isText = typeof value === "string";
  if (isText || Array.isArray(value)) into.set(path, into.get(path) === true || value.length > 0);
  if (Array.isArray(value)) for (const each of value) leaves(each, `${path}[]`, into);
  else if (!isText && typeof value === "object" && value !== null && !Buffer.isBuffer(value))
    for (const [name, each] of Object.entries(value)) leaves(each, `${path}.${name}`, into);
}

type Method = grpc.MethodDefinition<object, object>;
const services = loadServices() as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>;
const methodOf = (name: string): Method => services[name.split(".")[0] as string]?.[name.split(".")[1] as string] as Method;
const nothing = new grpc.Metadata();
/** No message of any kind. */
const rubbish = Buffer.from([0xff]);

/** The status of a call. A stream ends with rubbish, so that it ends. */
function statusOf(client: grpc.Client, name: string, messages: readonly object[]): Promise<string> {
  const { path, requestStream, responseStream, requestSerialize } = methodOf(name);
  const [first, ...more] = [...messages.map((message) => requestSerialize(message)), ...(requestStream ? [rubbish] : [])];
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    const ended = (error: grpc.ServiceError | null) => resolve(error ? (grpc.status[error.code] as string) : "OK");
    if (!requestStream && !responseStream) client.makeUnaryRequest(path, same, same, first as Buffer, nothing, {}, ended);
    else if (!requestStream) {
      const stream = client.makeServerStreamRequest(path, same, same, first as Buffer, nothing, {});
      stream.on("status", ({ code }: { code: number }) => resolve(grpc.status[code] as string));
      stream.on("error", () => {});
      stream.on("data", () => {
        stream.cancel();
        resolve("OK");
      });
    } else {
      const stream = responseStream
        ? client.makeBidiStreamRequest(path, same, same, nothing, {})
        : client.makeClientStreamRequest(path, same, same, nothing, {}, ended);
      if (responseStream) (stream as grpc.ClientDuplexStream<Buffer, Buffer>).resume();
      stream.on("status", ({ code }: { code: number }) => resolve(grpc.status[code] as string));
      stream.on("error", () => {});
      for (const bytes of [first as Buffer, ...more]) stream.write(bytes);
      stream.end();
    }
  });
}

async function aFarm() {
  const made = await farm({ http: "127.0.0.1:0" });
  const client = new grpc.Client(made.address, grpc.credentials.createInsecure());
  undo.push(async () => client.close());
  const c = made.client();
  const { sessionId } = await c.open();
  const plan = {
    requestId: "r-1",
    name: "s",
    plan: Buffer.from("x"),
    tasks: [{ taskId: "t", document: Buffer.from("x"), template: "" }],
  };
  const suite = await c.tracker.suites.create(plan);
  const worker = builder(made.address);
  const { workerId, epoch } = asRegistered(await worker.tracker.worker.register({ ...worker.registration }));
  undo.push(() => worker.kill());
  let count = 0;
  const names = { "{session}": sessionId, "{suite}": suite, "{worker}": workerId, "{epoch}": epoch };
  /** Records travel as JSON in a text. */
  const ready = (name: string, messages: readonly unknown[]) =>
    messages.map((message) => {
      const filled = mapped(message, (text) => (names as Record<string, unknown>)[text] ?? text.replace("{new}", `n${count++}`));
      const { records } = filled as { records?: readonly unknown[] };
      return (name === "record.Append" ? { records: records?.map((each) => JSON.stringify(each)) } : filled) as object;
    });
  return { ...made, client, ready };
}

it("each text of each request: the status says what is wrong", async () => {
  const { client, ready } = await aFarm();
  const allowed = ["OK", ...farmErrorCodes.filter((code) => code !== "INTERNAL")];
  const wrong: string[] = [];
  let invalid = 0;
  for (const [name, variants] of Object.entries(requests))
    for (const messages of variants)
      for (const [i, message] of messages.entries())
        for (const text of name !== "record.Append" ? bad : messages === variants[0] ? ofRecords : ofMany)
          for (const [path, made] of spoiled(message, text)) {
            const status = await statusOf(client, name, ready(name, messages.with(i, made as object)));
            if (status === "INVALID_ARGUMENT") invalid++;
            if (!allowed.includes(status)) wrong.push(`${name} ${path} ${JSON.stringify(text.slice(0, 9))}: ${status}`);
          }
  expect(wrong).toEqual([]);
  expect(invalid).toBeGreaterThan(200);
});

it("those are all texts and lists that a request may have", async () => {
  const { ready } = await aFarm();
  const asked: string[] = [];
  for (const [service, methods] of Object.entries(services))
    for (const method of Object.keys(methods)) {
      if (!["farm", "worker", "artifact", "admin", "record", "suite"].includes(service)) continue;
      const name = `${service}.${method}`;
      const { requestSerialize, requestDeserialize } = methodOf(name);
      const found = new Map<string, boolean>();
      for (const messages of requests[name] ?? [])
        for (const message of ready(name, messages)) leaves(requestDeserialize(requestSerialize(message)), name, found);
      expect([...found].filter(([, isFilled]) => !isFilled).map(([path]) => path)).toEqual([]);
      asked.push(name);
    }
  expect(Object.keys(requests).sort()).toEqual(asked.sort());
});

it("each part of an address, a header and a body over HTTP: the status says what is wrong", async () => {
  const { tracker } = await aFarm();
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body = "") =>
    new Promise<number>((resolve, reject) => {
      const port = tracker.httpPort as number;
      const sent = httpRequest(
        { port, host: "127.0.0.1", method, path, headers: { "x-warpfarm": "1", ...headers } },
        (answer) => {
          resolve(answer.statusCode ?? 0);
          answer.destroy();
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  const words = [
    "%00",
    "a%00b",
    "%ff",
    "%E0%A4%A",
    "%",
    "%u0000",
    "__proto__",
    "constructor",
    "..%2f..%2fetc",
    "%ED%A0%80",
    "'",
    "x".repeat(3_000),
  ];
  const paths = (word: string) => [
    ...[
      "healthz",
      "readyz",
      "metrics",
      "farm",
      "api/me",
      "api/runs",
      "api/records",
      "api/fleet",
      "api/queue",
      "api/suites",
    ].flatMap((view) => [`/${view}?x=${word}`, `/${view}?${word}=1`, `/${view}/${word}`]),
    ...["task", "device", "cursor", "outcome", "order", "limit"].map((name) => `/api/records?${name}=${word}`),
    ...[`/api/runs/${word}/trials`, `/api/runs/x/trials?after=${word}`, `/api/records/${word}?code`, `/api/records/x/${word}`],
    ...[`/api/events?see=${word}`, `/api/events?run=${word}&see=`, `/assets/${word}`, `/${word}`],
  ];
  const wrong: string[] = [];
  const note = (what: string, status: number) => (status === 500 || status === 0 ? wrong.push(`${what}: ${status}`) : 0);
  for (const word of words) {
    for (const path of paths(word)) note(path.slice(0, 60), await ask("GET", path));
    for (const path of [`/api/runs/${word}/stop`, `/api/runs/${word}/pause`, `/api/nodes/${word}/drain`, "/api/sign-in"])
      note(path.slice(0, 60), await ask("POST", path));
  }
  for (const body of [
    '{"token":"a\\u0000"}',
    '{"token":"a\\ud800"}',
    '{"__proto__":{"undo":1}}',
    '{"undo":"x"}',
    "[",
    '"',
    "{}x",
    "null",
  ])
    for (const path of ["/api/sign-in", "/api/runs/x/pause", "/api/runs/x/extend", "/api/nodes/n/drain"])
      note(`${path} ${body}`, await ask("POST", path, {}, body));
  for (const value of ["-1", "1e99", "NaN", "x", "9".repeat(400)])
    note(`last-event-id ${value}`, await ask("GET", "/api/events?see=", { "last-event-id": value }));
  expect(wrong).toEqual([]);
  for (const path of ["/farm?x=%00", "/metrics?x=%00", "/api/runs?x=%00"])
    expect([path, await ask("GET", path)]).toEqual([path, 400]);
});
