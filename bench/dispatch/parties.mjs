/**
 * Runners and sessions of the load, lean: they send and take the messages that the product's Synchronizer and measurer would
 * (checked by bench/dispatch/check.mjs), at a fifth of their cost, which is not what is measured. A runner has one device and
 * does as worker/src/synchronizer.ts: a call with its outcome and its free slot after each job, one that names the job while a
 * long one runs, and another at once after an answer that only acknowledges.
 */
import { randomUUID } from "node:crypto";
import { defaultMeasureOptions } from "@warpfarm/common";
import { loadServices, measureResultToWire, openSessionToWire, protocolVersion, registrationToWire } from "@warpfarm/proto";
import { block, eachField, integer } from "./fields.mjs";
import { timedResult } from "./timed-result.mjs";
import { WireConnection } from "./wire.mjs";

const { farm, worker, measureResult } = loadServices();
export const target = "cpu/x86-64-v3";
const busyPauseMs = 50;
const emptyPauseMs = 20;
/** Tag of field 7 of MeasureResult, its device: the only part of a result that differs between runners. */
const deviceField = 7;

const results = new Map();
let measuredAt;
/**
 * Dates the results from now on. A result dated before its runner's registration comes from a wrong clock, which a tracker
 * corrects at some cost.
 */
export function resultsOfNow() {
  measuredAt = Date.now();
  results.clear();
}

function resultBytes(artifact) {
  const there =
    results.get(artifact) ?? measureResult.serialize(measureResultToWire(timedResult(artifact, undefined, measuredAt)));
  results.set(artifact, there);
  return there;
}

const freeSlot = block(4, integer(2, 1));
const noSlot = block(4, Buffer.alloc(0));
const well = block(7, Buffer.alloc(0));

/** @returns {NonNullable<import("@warpfarm/proto").Provenance["search"]>} */
const searchOf = (trials) => ({ version: 1, task: { template: "load" }, args: [], tuner: "random", budget: { trials } });

export class Runner {
  #connection;
  #facts;
  #device;
  #msOf;
  #stream;
  #caller;
  #epoch;
  #sequence = 0;
  #running;
  #timers = [];

  /** `msOf(artifact)`: how long its job takes. */
  constructor(address, n, msOf, onLost) {
    this.#connection = new WireConnection(address, onLost);
    this.#facts = { key: target, name: "scripted", uuid: `scripted-${n}`, node: `runner-${n}`, driver: "none" };
    this.#device = block(deviceField, ...["key", "name", "uuid", "node", "driver"].map((f, i) => block(i + 1, this.#facts[f])));
    this.#msOf = msOf;
  }

  async join() {
    const { path, requestSerialize, responseDeserialize } = worker.Register;
    const devices = [{ device: 0, facts: this.#facts, memoryBytes: 2 ** 30, limits: { threads: 1 } }];
    const role = /** @type {const} */ ({ kind: "runner", devices, manifestVersions: [1] });
    const registration = { protocolVersion, node: this.#facts.node, instanceId: randomUUID(), labels: {}, role };
    const reply = await this.#connection.unary(path, requestSerialize(registrationToWire(registration)));
    const { worker_id, epoch, secret } = responseDeserialize(reply);
    // A field may be anywhere.
    this.#caller = Buffer.concat([block(1, worker_id), integer(2, epoch), block(12, secret)]);
    this.#epoch = epoch;
    this.#stream = this.#connection.open(
      worker.Synchronize.path,
      (bytes) => this.#answer(bytes),
      () => this.#connection.lost(new Error(`the tracker ended the stream of ${this.#facts.node}`)),
    );
    this.#call([]);
  }
  close() {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#connection.close();
  }

  #call(outcome) {
    const slots = this.#running ? [noSlot, block(5, this.#running.lease)] : [freeSlot];
    this.#connection.send(this.#stream, Buffer.concat([this.#caller, integer(3, ++this.#sequence), ...slots, ...outcome, well]));
  }

  #answer(bytes) {
    let sequence = 0;
    let acknowledged = 0;
    let job;
    eachField(bytes, (field, value) => {
      if (field === 1) acknowledged++;
      else if (field === 2) job = jobFrom(value);
      else if (field === 7) sequence = value;
    });
    if (job) this.#start(job);
    // A call that a newer one replaced gets an empty answer.
    else if (sequence === this.#sequence && acknowledged > 0) this.#call([]);
    else if (sequence === this.#sequence) this.#after(emptyPauseMs, () => this.#call([]));
  }

  #start({ lease, artifact }) {
    this.#running = { lease };
    const ms = this.#msOf(artifact);
    const finish = () => {
      for (const timer of this.#timers.splice(0)) clearTimeout(timer);
      this.#running = undefined;
      this.#call([block(6, block(1, lease), integer(2, this.#epoch), block(4, resultBytes(artifact), this.#device))]);
    };
    if (ms === 0) return finish();
    this.#after(ms, finish);
    if (ms > busyPauseMs) this.#after(busyPauseMs, () => this.#call([]));
  }

  #after(ms, what) {
    this.#timers.push(setTimeout(what, ms));
  }
}

function jobFrom(bytes) {
  const job = { lease: "", artifact: "" };
  eachField(bytes, (field, value) => {
    if (field === 1) job.lease = value.latin1Slice();
    else if (field === 5)
      eachField(value, (inner, digest) => {
        if (inner === 2) job.artifact = digest.latin1Slice();
      });
  });
  return job;
}

const configOf = (n) =>
  JSON.stringify({
    index: n,
    code_hash: null,
    entity: [
      ["tile_x", "sp", [-1, 2 ** (n % 6)]],
      ["tile_y", "sp", [-1, 2 ** (n % 5)]],
      ["unroll", "ot", (n % 4) * 16],
    ],
  });

export class Session {
  jobMs = 0;
  sent = 0;
  received = 0;
  /** Milliseconds from an input's submission to its result, and to its lease by a runner. */
  latencies = [];
  dispatched = [];
  #leased = 0;
  onResult = () => {};
  #connection;
  #stream;
  #at = new Map();
  #safe = [];
  #inputs;
  #programs;
  #trials;

  /** `trials`: it says that it is a search of so many, and the config of each input. */
  constructor(address, { trials = undefined }, programs, onLost) {
    this.#connection = new WireConnection(address, onLost);
    this.#trials = trials;
    this.#programs = programs;
    this.#inputs = programs.map(({ digest }) => block(2, block(2, digest)));
  }

  async open() {
    const { path, requestSerialize, responseDeserialize } = farm.OpenSession;
    const request = openSessionToWire({
      requestId: randomUUID(),
      protocolVersion,
      task: "load",
      selector: target,
      options: { ...defaultMeasureOptions("cpu"), check: "none" },
      priority: 0,
      maxInFlight: 1024,
      labels: {},
      ...(this.#trials === undefined ? {} : { provenance: { search: searchOf(this.#trials) } }),
    });
    this.id = responseDeserialize(await this.#connection.unary(path, requestSerialize(request))).session_id;
    this.#stream = this.#connection.open(
      farm.Measure.path,
      (bytes) => this.#event(bytes),
      () => this.#connection.lost(new Error(`the tracker ended the stream of session ${this.id}`)),
    );
    this.#connection.send(this.#stream, block(1, block(1, this.id)));
    for (const { bytes } of this.#programs) this.send(block(2, block(1, bytes)));
  }

  /** Sends the next input; its program is named by digest unless the whole program is given. */
  send(program = this.#inputs[this.sent % this.#inputs.length]) {
    const sequence = ++this.sent;
    this.#at.set(sequence, performance.now());
    const proposal = this.#trials === undefined ? [] : [block(6, block(1, configOf(sequence)), integer(2, sequence))];
    this.#connection.send(this.#stream, block(2, integer(1, sequence), program, ...proposal));
  }

  leased() {
    this.dispatched.push(performance.now() - this.#at.get(++this.#leased));
  }

  #event(bytes) {
    eachField(bytes, (field, value) => {
      if (field === 2) this.#result(value);
    });
  }
  #result(bytes) {
    let sequence = 0;
    let isTimed = false;
    eachField(bytes, (field, value) => {
      if (field === 1) sequence = value;
      else eachField(value, (inner) => (isTimed ||= inner === 1));
    });
    if (!isTimed) throw new Error(`job ${sequence} of session ${this.id} failed`);
    this.latencies.push(performance.now() - this.#at.get(sequence));
    if (!this.#at.delete(sequence)) throw new Error(`sequence ${sequence} came twice`);
    this.received++;
    this.#receipt(sequence);
    this.onResult();
  }
  /** Results that arrive together are acknowledged together, as by the product's client. */
  #receipt(sequence) {
    if (this.#safe.push(sequence) > 1) return;
    setImmediate(() => {
      const received = Buffer.concat(this.#safe.splice(0).map((s) => Buffer.from(integer(0, s).subarray(1))));
      this.#connection.send(this.#stream, block(3, block(2, received)));
    });
  }
}
