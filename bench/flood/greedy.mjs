/**
 * One principal that takes what it can get, a process of its own: sessions opened without end, inputs with programs of their own
 * in each of them, as many as are taken, of the highest priority and weight, and half uploads that are begun again when they end.
 * argv: {address, kinds, everyMs}: which of "sessions", "inputs", "uploads", and how long each of its loops rests after a refusal
 * (nobody's own machine is as quick as a tracker's loopback). On the end of stdin it says what it got, as a line of JSON.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as grpc from "@grpc/grpc-js";
import { AsyncQueue, canonicalJson, defaultMeasureOptions, digestOf } from "@warpfarm/common";
import { connect, loadServices, protocolVersion } from "@warpfarm/proto";

const { address, kinds, everyMs } = JSON.parse(process.argv[2]);
const target = "cpu/x86-64-v3";
const token = "token-of-greedy";
const got = { sessions: 0, inputs: 0, results: 0, uploads: 0 };
const refused = {};
let isOver = false;
const opened = [];

/** Counted by the flag that the message names; the first message of each is printed. */
const messages = {};
function refusal(error) {
  const [flag = error.code ?? "other"] = /--quota [a-z_]+/.exec(error.message) ?? [];
  refused[flag] = (refused[flag] ?? 0) + 1;
  messages[flag] ??= error.message;
}

const { farm } = connect({ address, token });
async function flooded(kind) {
  while (!isOver)
    try {
      const { sessionId } = await farm.openSession({
        requestId: randomUUID(),
        protocolVersion,
        task: "greedy",
        selector: target,
        options: { ...defaultMeasureOptions("cpu"), check: "none" },
        priority: 100,
        weight: 100,
        maxInFlight: 1024,
        labels: {},
      });
      got.sessions++;
      opened.push(sessionId);
      if (kind === "inputs") await measure(sessionId);
    } catch (error) {
      refusal(error);
      await pause(everyMs);
    }
}

async function measure(sessionId) {
  let sent = 0;
  while (!isOver) {
    const outgoing = new AsyncQueue(2048);
    outgoing.tryPush({ kind: "start", sessionId, resumeAfter: sent });
    let inFlight = 0;
    let accepted = 0;
    const fill = () => {
      for (; inFlight < 1000; inFlight++) {
        const name = randomBytes(2_000).toString("hex");
        const text = canonicalJson({ version: 1, kind: "schedule", target, graph: { name }, intrinsics: [], trace: [] });
        const program = { digest: digestOf(text), bytes: Buffer.from(text) };
        if (!outgoing.tryPush({ kind: "input", sequence: ++sent, program: { kind: "program", program } })) return;
      }
    };
    try {
      for await (const event of farm.measure(outgoing)) {
        if (isOver) return;
        if (event.kind === "accepted") {
          got.inputs += Math.max(0, event.acceptedThrough - accepted);
          accepted = event.acceptedThrough;
          if (sent < accepted) sent = accepted;
          if (sent === accepted) fill();
        } else if (event.kind === "result") {
          got.results++;
          inFlight--;
          outgoing.tryPush({ kind: "receipt", receivedThrough: 0, received: [event.sequence] });
          fill();
        }
      }
    } catch (error) {
      refusal(error);
      sent = accepted;
      await pause(everyMs);
    }
  }
}

const { path, requestSerialize, responseDeserialize } = loadServices().artifact.Upload;
const connection = new grpc.Client(address, grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
metadata.set("authorization", "Bearer token-of-greedy-builder");
const half = () =>
  new Promise((resolve) => {
    const call = connection.makeClientStreamRequest(path, requestSerialize, responseDeserialize, metadata, (error) => {
      if (error) refusal({ code: grpc.status[error.code], message: error.details });
      resolve(undefined);
    });
    call.on("error", () => {});
    call.write({ header: { digest: digestOf(randomBytes(8)), size: 20_000_001 } });
    for (let i = 0; i < 20; i++) call.write({ chunk: Buffer.alloc(1_000_000) });
  });
async function uploading() {
  for (; !isOver; await pause(everyMs)) {
    got.uploads++;
    await half();
  }
}

const loops = { sessions: [8, () => flooded("sessions")], inputs: [120, () => flooded("inputs")], uploads: [200, uploading] };
for (const kind of kinds) {
  const [n, loop] = loops[kind];
  for (let i = 0; i < n; i++) void loop();
}
process.stdin.on("end", async () => {
  isOver = true;
  await Promise.all(opened.map((id) => farm.closeSession(id)));
  process.stdout.write(`${JSON.stringify({ got, refused, messages })}\n`);
  process.exit(0);
});
process.stdin.resume();
