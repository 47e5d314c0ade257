/**
 * What one principal may have and use: refused with the limit's name, while others are served; and nothing of it where nobody has
 * a name.
 */
import { randomBytes } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import { digestOf, type FarmError } from "@warpfarm/common";
import { type Doors, loadServices, type Role } from "@warpfarm/proto";
import { describe, expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { build, builder, pause, programOf, runner, timed } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import type { Limits } from "../src/services/context.ts";
import type { Database } from "../src/store/database.ts";
import { outstandingByPrincipal } from "../src/store/sql/usage.ts";

const { farm } = useFarms();

/** The token is the principal's name, which begins with its role; all others are clients. */
const doors: Doors = {
  authorize: (_path, { token = "nobody" }) => ({
    name: token,
    role: (["builder", "runner", "admin"] as const).find((role) => token.startsWith(role)) ?? ("client" satisfies Role),
  }),
};

async function guarded(limits: Partial<Limits>, data?: Database) {
  const f = await farm({ doors, limits, ...(data ? { data } : {}) });
  const startBuilder = () => f.start(builder(f.address, build, 4, "builders"));
  const startRunner = (answer?: Parameters<typeof runner>[2]) => f.start(runner(f.address, 1, answer, { token: "runners" }));
  /** With a session and its stream open. */
  const session = async (name: string) => {
    const c = f.client(name);
    await c.open();
    c.stream();
    return c;
  };
  return { ...f, startBuilder, startRunner, session };
}

const refused = async (c: ScriptedClient) => {
  const { code, message } = await c.failure();
  expect(code).toBe("RESOURCE_EXHAUSTED");
  return message;
};

/** A program of about so many bytes. */
const programOfSize = (name: string, bytes: number) => programOf(`${name} ${randomBytes(bytes / 2).toString("hex")}`);

/** Uploads of which the last byte never comes. `ends`: what the tracker says of each. */
function halfUploads(address: string, token: string, n: number, bytes = 1_000) {
  const { path, requestSerialize, responseDeserialize } = loadServices().artifact.Upload;
  const connection = new grpc.Client(address, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const calls: grpc.ClientWritableStream<object>[] = [];
  const ends = Array.from({ length: n }, () => {
    return new Promise<{ readonly code: string | undefined; readonly message: string }>((resolve) => {
      const call = connection.makeClientStreamRequest<object, object>(
        path,
        requestSerialize,
        responseDeserialize,
        metadata,
        (error) => resolve({ code: grpc.status[error?.code ?? 0], message: error?.details ?? "" }),
      );
      call.on("error", () => {});
      calls.push(call);
      call.write({ header: { digest: digestOf(randomBytes(8)), size: bytes + 1 } });
      for (let left = bytes; left > 0; left -= 1 << 20) call.write({ chunk: Buffer.alloc(Math.min(left, 1 << 20)) });
    });
  });
  const stop = async () => {
    for (const call of calls) call.cancel();
    const said = await Promise.all(ends);
    connection.close();
    return said;
  };
  return { ends, stop };
}

/** What an upload of new bytes comes to. */
const uploaded = async ({ tracker }: ScriptedClient, size = 8): Promise<string> =>
  tracker.artifacts.upload(randomBytes(size)).then(
    () => "stored",
    (error: FarmError) => `${error.code}: ${error.message}`,
  );

describe("blobs of clients", () => {
  it("count as what they keep, each once; another client has room, and the farm's own are nobody's", async () => {
    const { client } = await guarded({ maxKeptBytes: 1_000 });
    const greedy = client("greedy");
    expect(await uploaded(greedy, 600)).toBe("stored");
    const bytes = randomBytes(300);
    for (let again = 0; again < 3; again++) await greedy.tracker.artifacts.upload(bytes);
    expect(await uploaded(greedy, 200)).toMatch(/^RESOURCE_EXHAUSTED: greedy has .* --quota artifact_mb of this tracker allows/);
    expect(await uploaded(client("builder-1"), 2_000)).toBe("stored");
    expect(await uploaded(client("honest"), 900)).toBe("stored");
  });

  it("are counted by a tracker that did not take them", async () => {
    const limits = { maxKeptBytes: 1_000 };
    const one = await guarded(limits);
    expect(await uploaded(one.client("greedy"), 900)).toBe("stored");
    expect(await uploaded(one.client("builder-1"), 2_000)).toBe("stored");
    const two = await guarded(limits, one.store);
    await (await two.session("greedy")).tracker.artifacts.stat([]);
    expect(await uploaded(two.client("greedy"), 200)).toMatch(/^RESOURCE_EXHAUSTED: greedy has /);
    await two.session("builder-1");
    expect(await uploaded(two.client("builder-1"), 2_000)).toBe("stored");
  });
});

describe("inputs outstanding", () => {
  it("are so many of a principal over all its sessions and trackers; others send theirs, and receipts make room", async () => {
    const limits = { maxInputs: 5 };
    const one = await guarded(limits);
    const two = await guarded(limits, one.store);
    const a = await one.session("greedy");
    for (let i = 1; i <= 3; i++) a.send(i, programOf(`p${i}`));
    await until(() => a.acceptedThrough === 3, "acceptance");
    const b = await two.session("greedy");
    await two.look(); // what the other tracker accepted is known here a second later
    for (let i = 1; i <= 2; i++) b.send(i, programOf(`q${i}`));
    await until(() => b.acceptedThrough === 2, "acceptance");
    b.send(3, programOf("q3"));
    expect(await refused(b)).toBe(
      "greedy has 5 measurements outstanding; --quota inputs of this tracker allows 5: let some of its sessions end first",
    );
    const honest = await two.session("honest");
    honest.send(1, programOf("h"));
    await until(() => honest.acceptedThrough === 1, "acceptance of another's");

    one.startBuilder();
    one.startRunner();
    await until(() => a.results.size === 3, "results");
    await one.look();
    for (let i = 4; i <= 6; i++) a.send(i, programOf(`p${i}`));
    await until(() => a.results.size === 6, "results of what came in their place");
    expect(a.error).toBeUndefined();
  });

  it("are the most that a session may ask for; whoever has no name has what it asked for", async () => {
    const { client } = await guarded({ maxInputs: 5 });
    const windowOf = async (name: string, asked: number) => (await client(name).open({}, { maxInFlight: asked })).maxInFlight;
    expect([await windowOf("a", 17), await windowOf("b", 6), await windowOf("c", 5), await windowOf("d", 4)]).toEqual([
      5, 5, 5, 4,
    ]);
    const open = await farm({ limits: { maxInputs: 5 } });
    expect((await open.client().open({}, { maxInFlight: 17 })).maxInFlight).toBe(17);
  });

  it("name so many bytes of programs", async () => {
    const { session } = await guarded({ maxInputBytes: 100_000 });
    const c = await session("greedy");
    c.send(1, programOfSize("a", 60_000));
    await until(() => c.acceptedThrough === 1, "acceptance");
    c.send(2, programOfSize("b", 60_000));
    expect(await refused(c)).toMatch(
      /^greedy has measurements of 0\.1 MB of programs outstanding and sends 0\.1 MB more; --quota input_mb of this tracker allows 0\.1 MB: /,
    );
    const honest = await session("honest");
    honest.send(1, programOfSize("c", 60_000));
    await until(() => honest.acceptedThrough === 1, "acceptance of another's");
  });

  it("interleaved programs count together: what is sent, and what is outstanding in the store", async () => {
    const { client, store } = await guarded({ maxInputBytes: 150_000 });
    const c = client("greedy");
    await c.open({}, { paired: { rounds: 1, idleMs: 0 } });
    c.stream();
    const [program, other, more] = ["a", "b", "c"].map(
      (name) => ({ kind: "program", program: programOfSize(name, 60_000) }) as const,
    );
    if (!program || !other || !more) throw new Error("three");
    c.raw({ kind: "input", sequence: 1, program, others: [other] });
    await until(() => c.acceptedThrough === 1, "acceptance");
    const [outstanding] = await outstandingByPrincipal(store);
    expect(outstanding).toMatchObject({ principal: "greedy", inputs: 1 });
    expect(outstanding?.bytes).toBeGreaterThan(120_000);
    c.raw({ kind: "input", sequence: 2, program: more, others: [{ kind: "digest", digest: other.program.digest }] });
    expect(await refused(c)).toContain("--quota input_mb of this tracker allows 0.1 MB");
  });

  it("as many as there is room for where nobody is asked who they are", async () => {
    const limits = { maxInputs: 1, maxBuildTimeoutMs: 1, maxKeptBytes: 1, maxDeviceMs: 0 };
    const { measuring } = await farm({ limits });
    const c = await measuring(5);
    await until(() => c.acceptedThrough === 5, "acceptance");
    // Where somebody is asked, each of these alone stands in the way.
    for (const [name, value] of Object.entries(limits)) {
      const { client } = await guarded({ [name]: value });
      const named = client("greedy");
      const opened = named.open().then(() => {
        named.stream();
        for (let i = 1; i <= 2; i++) named.send(i, programOf(`q${i}`));
        return named.failure();
      });
      expect([name, (await opened.catch((error: FarmError) => error)).code]).toEqual([
        name,
        name === "maxBuildTimeoutMs" ? "INVALID_ARGUMENT" : "RESOURCE_EXHAUSTED",
      ]);
    }
  });
});

describe("what a principal keeps in the store", () => {
  it("is programs and what was built of them, whoever sent them since; collection makes room", async () => {
    const { session, startBuilder, startRunner, store, client } = await guarded({ maxKeptBytes: 50_000 });
    startBuilder();
    startRunner();
    const c = await session("greedy");
    c.send(1, programOfSize("a", 30_000));
    await until(() => c.results.size === 1, "the result");
    const [built] = await store.query<{ principal: string; bytes: number; blobs: number }>(
      "select principal, bytes, (select sum(size)::integer from blobs) as blobs from builds",
    );
    expect(built).toEqual({ principal: "greedy", bytes: built?.blobs, blobs: expect.any(Number) });
    c.send(2, programOfSize("b", 30_000));
    expect(await refused(c)).toMatch(
      /^greedy has 0\.0 MB of programs and artifacts in the store; --quota artifact_mb of this tracker allows 0\.0 MB: /,
    );
    expect((await session("honest")).session).toBeDefined();
    // A tracker that has seen nothing of it yet knows it before a session opens.
    await store.query("update programs set used_at = now() - interval '1 hour'");
    const late = await guarded({ maxKeptBytes: 20_000 }, store);
    expect(await codeOf(late.client("greedy").open())).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    await until(
      async () => (await client("admin").tracker.admin.listSessions()).every((s) => s.principal !== "greedy" || !s.streaming),
      "its end",
    );
    await store.query("update builds set finished_at = now() - interval '1 hour'");
    await store.query("update blobs set used_at = now() - interval '1 hour'");
    await client("admin").tracker.admin.collectGarbage({ keepMs: 0 });
    expect((await (await guarded({ maxKeptBytes: 20_000 }, store)).session("greedy")).session).toBeDefined();
  });
});

describe("time within an hour", () => {
  it("of devices: what comes after it is used up is refused, here at once, elsewhere once told; others measure", async () => {
    const limits = { maxDeviceMs: 20 };
    const { session, startBuilder, startRunner, store, look } = await guarded(limits);
    startBuilder();
    startRunner(async (given) => {
      await pause(40);
      return timed(given);
    });
    const c = await session("greedy");
    c.send(1, programOf("a"));
    await until(() => c.results.size === 1, "the result");
    c.send(2, programOf("b"));
    expect(await refused(c)).toMatch(
      /^greedy used \d+ s of devices within an hour; --quota device_time of this tracker allows 0 s: there is room again in (an hour at most|6[01] min)$/,
    );
    await look();
    const elsewhere = await guarded(limits, store);
    expect(await codeOf(elsewhere.client("greedy").open())).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringMatching(/^greedy used .* there is room again in 6[01] min$/),
    });
    const honest = await session("honest");
    honest.send(1, programOf("a"));
    await until(() => honest.results.size === 1, "another's result");
    await store.query("update spent set minute = minute - interval '61 minutes'");
    const later = await guarded(limits, store);
    expect((await later.session("greedy")).session).toBeDefined();
  });

  it("of devices that a session's end took from its runs counts", async () => {
    const { session, startBuilder, startRunner, store } = await guarded({});
    startBuilder();
    const r = startRunner(() => "keep");
    const c = await session("greedy");
    c.send(1, programOf("a"));
    await until(() => r.jobs.length === 1, "the job");
    await pause(5);
    await c.tracker.farm.closeSession(c.session as NonNullable<typeof c.session>);
    const [spent] = await store.query<{ ms: number }>("select device_ms as ms from spent where principal = 'greedy'");
    expect(spent?.ms).toBeGreaterThanOrEqual(5);
  });

  it("of builders is paid by who wanted a build first", async () => {
    const limits = { maxBuildMs: 20 };
    const f = await guarded(limits);
    f.start(
      builder(
        f.address,
        async (...job) => {
          await pause(40);
          return build(...job);
        },
        4,
        "builders",
      ),
    );
    const c = await f.session("greedy");
    const other = await f.session("honest");
    c.send(1, programOf("a"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    other.send(1, programOf("a"));
    f.startRunner();
    await until(() => c.results.size === 1 && other.results.size === 1, "both results");
    c.send(2, programOf("b"));
    expect(await refused(c)).toMatch(
      /^greedy used \d+ s of builders within an hour; --quota build_time of this tracker allows 0 s: /,
    );
    other.send(2, programOf("c"));
    await until(() => other.acceptedThrough === 2, "acceptance of another's");
  });
});

describe("a build's time", () => {
  it("is at most so long, of a session that opens and one that goes on", async () => {
    const { client, store } = await guarded({ maxBuildTimeoutMs: 60_000 });
    const c = client("greedy");
    const { sessionId } = await c.open({ buildTimeoutMs: 60_000 });
    const tooLong = {
      code: "INVALID_ARGUMENT",
      message: "options.build_timeout is 61 s; allowed: at most 60 s, --quota build_timeout of this tracker",
    };
    expect(await codeOf(c.open({ buildTimeoutMs: 61_000 }))).toEqual(tooLong);
    const stricter = await guarded({ maxBuildTimeoutMs: 59_000 }, store);
    const on = stricter.client("greedy").open({ buildTimeoutMs: 60_000 }, { continues: sessionId });
    expect(await codeOf(on)).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("at most 59 s") });
  });
});

describe("uploads that run", () => {
  it("are so many, half of them of one principal; one that ended makes room, however it ended", async () => {
    const { client, address } = await guarded({ maxUploads: 4 });
    const half = halfUploads(address, "builder-greedy", 3);
    const refusal = await Promise.race(half.ends);
    expect(refusal).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message:
        "builder-greedy has 2 uploads running; --quota uploads=4 of this tracker allows 2 to one principal: try again when some have ended",
    });
    const greedy = client("builder-greedy");
    expect(await uploaded(greedy)).toBe(`${refusal.code}: ${refusal.message}`);
    expect(await uploaded(client("builder-honest"))).toBe("stored");
    await half.stop();
    await until(async () => (await uploaded(greedy)) === "stored", "room");
    for (let i = 0; i < 5; i++) expect(await uploaded(greedy)).toBe("stored");
  });

  it("hold so many bytes, half of them of one principal", async () => {
    const { client, address } = await guarded({ maxUploadBytes: 4 * 2 ** 20 });
    const half = halfUploads(address, "builder-greedy", 3, 2 ** 20);
    const refusal = await Promise.race(half.ends);
    expect(refusal).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message:
        "uploads of builder-greedy hold 2.0 MB of memory; --quota upload_mb=4 of this tracker allows 2.0 MB to one principal: try again when some have ended",
    });
    const greedy = client("builder-greedy");
    expect(await uploaded(client("builder-honest"), 2 ** 20)).toBe("stored");
    expect(await uploaded(greedy, 2 ** 20)).toMatch(/^RESOURCE_EXHAUSTED/);
    await half.stop();
    await until(async () => (await uploaded(greedy, 2 ** 20)) === "stored", "room");
    for (let i = 0; i < 5; i++) expect(await uploaded(greedy, 2 ** 20)).toBe("stored");
  });

  it("take so long at most", async () => {
    const { address } = await guarded({ uploadMs: 100 });
    const half = halfUploads(address, "builder-greedy", 1);
    expect(await half.ends[0]).toEqual({ code: "DEADLINE_EXCEEDED", message: "the upload was not complete after 0.1 s" });
    await half.stop();
  });

  it("may all be of one caller where nobody is asked who they are", async () => {
    const { client, address } = await farm({ limits: { maxUploads: 4 } });
    const half = halfUploads(address, "", 5);
    const { message } = await Promise.race(half.ends);
    expect(message).toBe(
      "4 uploads are running; --quota uploads=4 of this tracker allows 4 in all: try again when some have ended",
    );
    await half.stop();
    await until(async () => (await uploaded(client())) === "stored", "room");
  });
});
