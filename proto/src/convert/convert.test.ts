/** Every conversion, there and back through real protobuf bytes, on random values; and what hostile messages get. */
import { defaultMeasureOptions, FarmError, type SyncRequest, textToolchain, toWorkerId } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { loadServices } from "../rpc/load.ts";
import {
  measureEventFromWire,
  measureEventToWire,
  measureRequestFromWire,
  measureRequestToWire,
  openedSessionFromWire,
  openedSessionToWire,
  openSessionFromWire,
  openSessionToWire,
} from "./farm.ts";
import * as field from "./fields.ts";
import { clip, durationMs, toDuration } from "./fields.ts";
import { deviceFactsFromWire, measureOptionsFromWire, measureResultToWire, programRefFromWire } from "./measure.ts";
import { snapshotFromWire, snapshotToWire } from "./snapshot.ts";
import {
  measureEvent,
  measureRequest,
  ms,
  openedSession,
  openSession,
  registration,
  request,
  snapshot,
} from "./values.testing.ts";
import { registrationFromWire, registrationToWire, syncRequestFromWire, syncRequestToWire } from "./worker.ts";

const { farm, worker } = loadServices();

/** domain -> wire -> protobuf bytes -> wire -> domain gives an equal value. */
function roundTrip<D, W, O>(
  values: fc.Arbitrary<D>,
  toWire: (d: D) => W,
  codec: { serialize(w: W): Buffer; deserialize(b: Buffer): O },
  fromWire: (w: O) => D,
) {
  fc.assert(
    fc.property(values, (value) => {
      expect(fromWire(codec.deserialize(codec.serialize(toWire(value))))).toEqual(value);
    }),
    { numRuns: 150 },
  );
}

describe("round trips through protobuf bytes", () => {
  it("Register", () => roundTrip(registration, registrationToWire, worker.Register.requestType, registrationFromWire));
  it("Synchronize request", () => roundTrip(request, syncRequestToWire, worker.Synchronize.requestType, syncRequestFromWire));
  it("OpenSession", () => roundTrip(openSession, openSessionToWire, farm.OpenSession.requestType, openSessionFromWire));
  it("OpenSession response", () =>
    roundTrip(openedSession, openedSessionToWire, farm.OpenSession.responseType, openedSessionFromWire));
  it("Measure request", () => roundTrip(measureRequest, measureRequestToWire, farm.Measure.requestType, measureRequestFromWire));
  it("Measure event", () => roundTrip(measureEvent, measureEventToWire, farm.Measure.responseType, measureEventFromWire));
  it("FarmSnapshot", () => {
    const { requestType: _, responseType } = farm.ListNodes;
    roundTrip(
      snapshot,
      (s) => ({ snapshot: snapshotToWire(s) }),
      responseType,
      (w) => snapshotFromWire(w.snapshot as NonNullable<typeof w.snapshot>),
    );
  });
});

describe("what a message may not say", () => {
  const refused = (f: () => unknown): string => {
    try {
      f();
    } catch (error) {
      expect(error).toBeInstanceOf(FarmError);
      expect((error as FarmError).code).toBe("INVALID_ARGUMENT");
      return (error as FarmError).message;
    }
    throw new Error("was accepted");
  };
  const wireOf = (r: SyncRequest) =>
    worker.Synchronize.requestType.deserialize(worker.Synchronize.requestType.serialize(syncRequestToWire(r)));
  const call: SyncRequest = {
    secret: Buffer.alloc(0),
    workerId: toWorkerId("w"),
    epoch: 1,
    sequence: 1,
    free: [],
    running: [],
    outcomes: [],
    trouble: "",
    reportOnly: false,
  };

  it("a failed build may name the longest toolchain that a builder registers, on text of the longest version", () => {
    const toolchain = textToolchain("c".repeat(256), "v".repeat(128));
    const failed = { attempt: 1, toolchain, failed: { error_no: 2 } };
    const outcomes = [{ lease_id: "l", epoch: 1, build: { failed } }];
    const { serialize, deserialize } = worker.Synchronize.requestType;
    const read = syncRequestFromWire(deserialize(serialize({ ...syncRequestToWire(call), outcomes } as never)));
    expect(read.outcomes).toMatchObject([{ result: { toolchain } }]);
  });

  it.each([
    ["a bad id", { worker_id: "a b" }, 'worker_id is "a b"'],
    ["epoch 0", { epoch: 0 }, "epoch is 0; allowed: an integer from 1 to"],
    ["an epoch past 2^53", { epoch: 2 ** 60 }, "epoch is 11529215046068"],
    [
      "too many leases",
      { running_lease_ids: Array(1025).fill("l") },
      "running_lease_ids is 1025 entries; allowed: at most 1024 entries",
    ],
    [
      "a digest of another hash",
      { outcomes: [{ lease_id: "l", epoch: 1, build: { artifact: "md5:0" } }] },
      'outcomes[0].build.artifact is "md5:0"',
    ],
    [
      "an outcome of no kind",
      { outcomes: [{ lease_id: "l", epoch: 1 }] },
      "outcomes[0].kind (build, run, replay or fault) is not set",
    ],
    [
      "a result of no kind",
      { outcomes: [{ lease_id: "l", epoch: 1, run: { attempt: 1 } }] },
      "outcomes[0].run.outcome is not set",
    ],
    [
      "an error number of the future",
      { outcomes: [{ lease_id: "l", epoch: 1, run: { attempt: 1, failed: { error_no: 77 } } }] },
      "outcomes[0].run.failed.error_no is 77",
    ],
    [
      "attempt 0",
      { outcomes: [{ lease_id: "l", epoch: 1, run: { attempt: 0, failed: { error_no: 4 } } }] },
      "outcomes[0].run.attempt is 0; allowed: an integer from 1",
    ],
    [
      "no costs",
      { outcomes: [{ lease_id: "l", epoch: 1, run: { attempt: 1, timed: {} } }] },
      "outcomes[0].run.timed.costs is empty",
    ],
    [
      "a replay of no kind",
      { outcomes: [{ lease_id: "l", epoch: 1, replay: {} }] },
      "outcomes[0].replay.kind (replayed or refused) is not set",
    ],
    [
      "a replay without a reference",
      { outcomes: [{ lease_id: "l", epoch: 1, replay: { replayed: { program_digest: `sha256:${"a".repeat(64)}` } } }] },
      'outcomes[0].replay.replayed.reference_digest is ""',
    ],
    ["NUL in text", { health: { trouble: "a\0b" } }, "health.trouble is text with a NUL character"],
    ["long text", { health: { trouble: "é".repeat(600) } }, "health.trouble is 1200 bytes; allowed: at most 1024 bytes"],
  ])("%s", (_name, change, message) => {
    const bytes = worker.Synchronize.requestType.serialize({ ...syncRequestToWire(call), ...(change as object) });
    expect(refused(() => syncRequestFromWire(worker.Synchronize.requestType.deserialize(bytes)))).toContain(message);
    expect(syncRequestFromWire(wireOf(call))).toEqual(call);
  });

  it.each([
    [0, "0; allowed: an integer from 1 to 16777216"],
    [2 ** 24 + 1, "16777217; allowed: an integer from 1 to 16777216"],
    // The value that another language's -1 has as uint64.
    [2 ** 64 - 2 ** 11, "18446744073709550000; allowed: an integer from 0 to 9007199254740991"],
  ])("a device that says its shared memory is %d bytes a block", (bytes, words) => {
    const device = { key: "cuda/sm_90", name: "GPU", uuid: "GPU-1", node: "n", driver: "" };
    const registered = (limits: Record<string, number>) => {
      const wire = registrationToWire({
        protocolVersion: 1,
        node: "n",
        instanceId: "i",
        labels: {},
        role: { kind: "runner", devices: [{ device: 0, facts: device, memoryBytes: 1, limits }], manifestVersions: [1] },
      });
      const { requestType } = worker.Register;
      return registrationFromWire(requestType.deserialize(requestType.serialize(wire)));
    };
    // A limit on which no check relies may be zero.
    const { role } = registered({ max_shared_memory_per_block_optin: 49_152, compute_mode: 0 });
    expect(role).toMatchObject({ devices: [{ limits: { max_shared_memory_per_block_optin: 49_152, compute_mode: 0 } }] });
    expect(refused(() => registered({ max_shared_memory_per_block_optin: bytes }))).toBe(
      `runner.devices[0].limits.max_shared_memory_per_block_optin is ${words}`,
    );
  });

  it("a device that a runner names twice", () => {
    const device = { key: "cuda/sm_90", name: "GPU", uuid: "GPU-1", node: "n", driver: "" };
    const registered = (second: number) => {
      const devices = [0, second].map((n) => ({ device: n, facts: device, memoryBytes: 1, limits: {} }));
      const role = { kind: "runner", devices, manifestVersions: [1] } as const;
      const wire = registrationToWire({ protocolVersion: 1, node: "n", instanceId: "i", labels: {}, role });
      const { requestType } = worker.Register;
      return registrationFromWire(requestType.deserialize(requestType.serialize(wire)));
    };
    expect(registered(1).role).toMatchObject({ devices: [{ device: 0 }, { device: 1 }] });
    expect(refused(() => registered(0))).toBe("runner.devices[1].device is 0; allowed: each device once");
  });

  it("a program of no bytes, or of more than a mebibyte", () => {
    const read = (bytes: number) => programRefFromWire("input.program", { json: Buffer.alloc(bytes, 32) } as never);
    expect(read(2 ** 20)).toMatchObject({ kind: "program" });
    for (const bytes of [0, 2 ** 20 + 1])
      expect(refused(() => read(bytes))).toBe(`input.program.json is ${bytes} bytes; allowed: 1 to 1048576 bytes`);
  });

  it("options out of range, and timers of the other backend", () => {
    const wire = (o: object) =>
      farm.OpenSession.requestType.deserialize(farm.OpenSession.requestType.serialize({ options: o })).options;
    const read = (o: object, backend: "cpu" | "cuda" = "cpu") => measureOptionsFromWire("options", wire(o), backend);
    expect(read({})).toEqual(defaultMeasureOptions("cpu"));
    expect(read({}, "cuda")).toEqual(defaultMeasureOptions("cuda"));
    expect(measureOptionsFromWire("options", null, "cpu")).toEqual(defaultMeasureOptions("cpu"));
    expect(refused(() => read({ repeat: 0 }))).toBe("options.repeat is 0; allowed: an integer from 1 to 1000");
    expect(refused(() => read({ build_timeout: { seconds: -1 } }))).toContain("options.build_timeout is -1 s 0 ns");
    expect(refused(() => read({ run_timeout: { seconds: 1e15 } }))).toContain("options.run_timeout");
    expect(refused(() => read({ incumbent_seconds: Number.NaN }))).toContain("options.incumbent_seconds is NaN");
    expect(refused(() => read({ incumbent_seconds: -1 }))).toContain("options.incumbent_seconds is -1");
    expect([read({}), read({ incumbent_seconds: 0 })].map((o) => o.incumbent)).toEqual([undefined, "best"]);
    expect(refused(() => read({ cooldown: { seconds: 1, nanos: -1 } }))).toContain("options.cooldown is 1 s -1 ns");
    expect(refused(() => read({ timer: "TIMER_EVENTS" }))).toContain("TIMER_WALL on cpu");
    expect(refused(() => read({ timer: 9 }))).toContain("options.timer is 9");
    expect(refused(() => read({ power: 9 }))).toContain("options.power is 9");
  });

  it("a power state that is not named is burst where the repeats are bursts; named, they must be", () => {
    const read = (o: object) => {
      const { requestType } = farm.OpenSession;
      const { options } = requestType.deserialize(requestType.serialize({ options: o }));
      return measureOptionsFromWire("o", options, "cuda");
    };
    const ms = (value: number) => ({ seconds: 0, nanos: value * 1e6 });
    expect(read({ min_repeat: ms(5), cooldown: ms(10) }).power).toBe("burst");
    for (const o of [{ number: 1 }, { min_repeat: ms(6) }, { cooldown: ms(4) }]) {
      expect(read(o)).toMatchObject({ power: "as_asked" });
      expect(refused(() => read({ ...o, power: "POWER_BURST" }))).toContain("o.power is POWER_BURST; allowed: power burst ");
    }
    expect(read({ power: "POWER_SUSTAINED" })).toMatchObject({ power: "sustained", minRepeatMs: 100, cooldownMs: 0 });
  });

  it.each([
    ["min_repeat", 0, 60_000],
    ["build_timeout", 1, 3_600_000],
    ["run_timeout", 1, 3_600_000],
    ["cooldown", 0, 60_000],
  ] as const)("%s of %i to %i ms, and nothing beyond", (name, low, high) => {
    const read = (ms: number) => {
      const wire = { options: { [name]: { seconds: Math.trunc(ms / 1000), nanos: Math.round((ms % 1000) * 1e6) } } };
      const { requestType } = farm.OpenSession;
      const options = measureOptionsFromWire("o", requestType.deserialize(requestType.serialize(wire)).options, "cpu");
      return options[`${name.replace(/_(.)/, (_, letter: string) => letter.toUpperCase())}Ms` as "cooldownMs"];
    };
    expect([read(low), read(high), read(low + 1e-6)]).toEqual([low, high, low + 1e-6]);
    expect(refused(() => read(high + 1e-6))).toContain(`o.${name} is`);
    expect(refused(() => read(low - 1e-6))).toContain(`o.${name} is`);
  });

  it("as many runs, repeats and seconds as there may be, and no more", () => {
    const read = (o: object) => {
      const { requestType } = farm.OpenSession;
      return measureOptionsFromWire("o", requestType.deserialize(requestType.serialize({ options: o })).options, "cpu");
    };
    expect(read({ number: 1_000_000_000, repeat: 1000, incumbent_seconds: 86_400 })).toMatchObject({
      ...{ number: 1_000_000_000, repeat: 1000, incumbent: 86_400 },
    });
    expect(refused(() => read({ number: 1_000_000_001 }))).toBe(
      "o.number is 1000000001; allowed: an integer from 0 to 1000000000",
    );
    expect(refused(() => read({ repeat: 1001 }))).toBe("o.repeat is 1001; allowed: an integer from 1 to 1000");
    expect(refused(() => read({ incumbent_seconds: 86_401 }))).toContain("o.incumbent_seconds is 86401");
    expect([read({}), read({ precision: 0 }), read({ precision: 0.5 })].map((o) => o.precision)).toEqual([0.01, 0, 0.5]);
    expect(read({ power: "POWER_AS_ASKED" })).toMatchObject({ repeat: 3, precision: 0 });
    expect(refused(() => read({ precision: 0.51 }))).toContain("o.precision is 0.51");
  });

  it.each<[string, (n: number) => unknown, number]>([
    ["characters of an id", (n) => field.id("f", "i".repeat(n)), 128],
    ["characters of a label's name", (n) => field.labels("f", { ["n".repeat(n)]: "" }), 63],
    ["bytes of a label", (n) => field.labels("f", { a: "x".repeat(n) }), 128],
    ["labels", (n) => field.labels("f", Object.fromEntries(Array.from({ length: n }, (_, i) => [`l${i}`, ""]))), 16],
    ["counts", (n) => field.counts("f", Object.fromEntries(Array.from({ length: n }, (_, i) => [`c${i}`, i]))), 64],
    ["characters of a count's name", (n) => field.counts("f", { ["n".repeat(n)]: 1 }), 64],
    ["entries of a list", (n) => field.list("f", Array.from({ length: n }), 5, () => 0), 5],
    ["bytes of a text", (n) => field.text("f", "x".repeat(n), 7), 7],
    ["a whole number", (n) => field.integer("f", n, 0, 9), 9],
    ["a number", (n) => field.finite("f", n, 0, 9), 9],
    ["seconds since 1970", (n) => field.timestampMs("f", { seconds: n, nanos: 0 }), 253_402_300_799],
    ["nanoseconds of a time", (n) => field.timestampMs("f", { seconds: 0, nanos: n }), 999_999_999],
  ])("%s: as many as allowed, and no more", (_, read, most) => {
    expect(() => read(most)).not.toThrow();
    expect(refused(() => read(most + 1))).toMatch(/^f/);
  });

  it("any bytes in a good request's place: a value or a FarmError, never another exception", () => {
    const { requestType } = worker.Synchronize;
    const seen = { notProtobuf: 0, refused: 0, read: 0 };
    const spot = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(request, fc.array(spot, { minLength: 1, maxLength: 3 }), (good, spots) => {
        const bytes = requestType.serialize(syncRequestToWire(good));
        for (const { at, byte } of spots) bytes[Math.floor(at * (bytes.length - 1))] = byte;
        let decoded: ReturnType<typeof requestType.deserialize>;
        try {
          decoded = requestType.deserialize(bytes);
        } catch {
          seen.notProtobuf++; // grpc-js answers INTERNAL before a handler is called
          return;
        }
        try {
          syncRequestFromWire(decoded);
          seen.read++;
        } catch (error) {
          seen.refused++;
          expect(error).toBeInstanceOf(FarmError);
        }
      }),
      { numRuns: 500 },
    );
    // Each way, so that the code behind the first checks is reached too.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
  });
});

describe("fields", () => {
  it("durations are exact to the nanosecond and refuse what is out of range", () => {
    fc.assert(
      fc.property(ms(86_400_000), (value) => {
        const { seconds, nanos } = toDuration(value);
        expect(durationMs("d", { seconds: seconds as number, nanos: nanos as number })).toBe(value);
      }),
    );
  });
  it("clip leaves no NUL, which no store keeps", () => {
    expect(clip("a\0b", 100)).toBe("a\u{FFFD}b");
  });
  it("what a device was seen to do has its own field each", () => {
    const clocks = { smClockMhz: 1, memoryClockMhz: 2, temperatureC: 3, powerW: 4, energyJ: 5, smClockLowMhz: 6 };
    const seen = { ...clocks, steady: false, windowsWaited: 7, repeatsThrownAway: 8 };
    const device = { key: "cuda/sm_90", name: "", uuid: "u", node: "", driver: "" };
    const phases = { buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 };
    const timed = { kind: "timed", costs: [1], number: 1, busyMs: 0, checked: true, device, observations: seen } as const;
    const wire = measureResultToWire({ ...timed, ...phases, artifact: `sha256:${"0".repeat(64)}` as never });
    expect(wire.timed?.observations).toMatchObject({
      sm_clock_mhz: 1,
      memory_clock_mhz: 2,
      temperature_c: 3,
      power_w: 4,
      energy_j: 5,
      sm_clock_low_mhz: 6,
      steady: false,
      windows_waited: 7,
      repeats_thrown_away: 8,
    });
  });
  it("facts of a device that came before are not those of its next result", () => {
    const facts = { key: "cuda/sm_90", name: "H100", uuid: "GPU-1", node: "a", driver: "570" };
    expect(deviceFactsFromWire("device", facts)).toBe(deviceFactsFromWire("device", { ...facts }));
    for (const other of [{ name: "H200" }, { node: "b" }, { driver: "580" }, { uuid: "GPU-2" }, { key: "cuda/sm_80" }])
      expect(deviceFactsFromWire("device", { ...facts, ...other })).toEqual({ ...facts, ...other });
    const refused: [Partial<typeof facts>, RegExp][] = [
      [{ key: "gpu" }, /device.key is "gpu"/],
      [{ name: "\0" }, /device.name is "\\u0000", with a NUL character; allowed: text of one line, of whole characters/],
      [{ name: "a\ud83d" }, /device.name is "a\\ud83d", with a lone surrogate/],
      // What a terminal obeys, or what turns the direction of the words after it.
      [
        { name: "a\u001b[2J" },
        /device.name is "a\\u001b\[2J", with a control character or one that turns the direction of text; allowed: text of one line/,
      ],
      [{ node: "a\nb" }, /device.node is "a\\nb", with a control character or one/],
      [{ driver: "\u202eb" }, /device.driver is .*, with a control character or one/],
      [{ name: "\u{20AC}".repeat(86) }, /device.name is 258 bytes; allowed: at most 256 bytes/],
      [{ uuid: "" }, /device.uuid is 0 bytes/],
    ];
    for (const [other, words] of refused) expect(() => deviceFactsFromWire("device", { ...facts, ...other })).toThrow(words);
  });
  it("a text's characters are looked at once, and its bytes are counted from both bounds on", () => {
    const looked = vi.spyOn(String.prototype, "isWellFormed");
    expect(field.text("t", "a\u{1F600}", 5, 5)).toBe("a\u{1F600}");
    expect(looked).toHaveBeenCalledTimes(1);
    looked.mockRestore();
    expect(() => field.text("t", "a\u{1F600}", 4)).toThrow("t is 5 bytes; allowed: at most 4 bytes");
    expect(() => field.prose("t", "a\u{20AC}", 99, 5)).toThrow("t is 4 bytes; allowed: 5 to 99 bytes");
    expect(field.prose("t", "a\n\u{20AC}", 5, 5)).toBe("a\n\u{20AC}");
  });
  it("clip cuts between characters, to at most the limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 16, max: 200 }), (value, max) => {
        const cut = clip(value, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (Buffer.byteLength(value) <= max) expect(cut).toBe(value.replaceAll("\0", "\u{FFFD}"));
        else expect(value.replaceAll("\0", "\u{FFFD}").startsWith(cut.replace(/\n\[cut\]$/, ""))).toBe(true);
      }),
    );
  });
});
