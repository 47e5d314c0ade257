/** The artifact service over real loopback gRPC. */
import { canonicalJson, type Digest, FarmError, type TimedResult, toArtifactDigest, toDigest } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, pause, programOf, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("artifacts", () => {
  it("go up and down by digest; wrong bytes and unknown digests are refused", async () => {
    const { client } = await farm({ limits: { maxBlobBytes: 3_000_000 } });
    const { artifacts } = client().tracker;
    const bytes = Buffer.alloc(1_700_000, "abc");
    const digest = await artifacts.upload(bytes);
    expect(await artifacts.upload(bytes)).toBe(digest);
    expect(Buffer.from(await artifacts.download(digest)).equals(bytes)).toBe(true);
    const other = toDigest(`sha256:${"f".repeat(64)}`);
    expect([...(await artifacts.stat([digest, other]))]).toEqual([[digest, 1_700_000]]);
    expect(await codeOf(artifacts.download(other))).toMatchObject({ code: "NOT_FOUND" });
    expect(await codeOf(artifacts.upload(Buffer.alloc(3_000_001)))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("at most 3000000"),
    });
    expect(await artifacts.upload(Buffer.alloc(0))).toMatch(/^sha256:e3b0/);
  });

  it("sent or named again are used again: a collection leaves them, and takes what nobody asked for", async () => {
    const { client, store } = await farm();
    const { artifacts, admin } = client().tracker;
    const [sent, named, old] = await Promise.all(["sent", "named", "old"].map((name) => artifacts.upload(Buffer.from(name))));
    await store.query("update blobs set used_at = now() - interval '1 day'");
    await artifacts.upload(Buffer.from("sent"));
    expect((await artifacts.stat([named as Digest])).size).toBe(1);
    expect(await admin.collectGarbage({ keepMs: 0 })).toMatchObject({ blobs: 1 });
    expect([...(await artifacts.stat([sent, named, old] as Digest[])).keys()]).toEqual([sent, named]);
  });

  it("of an older compiler serve a program until a collection takes them; then a builder makes them anew", async () => {
    const { address, start, client, measuring, store } = await farm();
    const by =
      (version: string): Answer =>
      async (assignment, worker) => {
        const built = await build(assignment, worker);
        if (built === "keep" || built.kind !== "built") return built;
        const { artifacts } = worker.tracker;
        const manifest = JSON.parse(Buffer.from(await artifacts.download(built.artifact)).toString());
        return {
          ...built,
          artifact: toArtifactDigest(await artifacts.upload(Buffer.from(canonicalJson({ ...manifest, toolchain: version })))),
        };
      };
    const measured = async () => {
      const one = await measuring(1);
      await until(() => one.results.size === 1, "a result");
      await one.tracker.farm.closeSession(one.session as NonNullable<typeof one.session>);
      return (one.results.get(1) as TimedResult).artifact;
    };
    const old = builder(address, by("1"));
    start(old);
    start(runner(address, 1));
    const first = await measured();
    await old.kill();
    start(builder(address, by("2")));
    expect(await measured()).toBe(first);
    for (const table of ["programs", "blobs"]) await store.query(`update ${table} set used_at = now() - interval '1 day'`);
    await store.query("update builds set finished_at = now() - interval '1 day'");
    expect(await client().tracker.admin.collectGarbage({ keepMs: 0 })).toMatchObject({ builds: 1, programs: 1 });
    expect((await client().tracker.artifacts.stat([toDigest(first)])).size).toBe(0);
    expect(await measured()).not.toBe(first);
  });

  it("a full store refuses what is new and loses nothing: what is built runs, what is not waits for garbage collection", async () => {
    const maxStoreBytes = 20_000;
    const { address, start, client, measuring, store } = await farm({ limits: { maxStoreBytes } });
    const refusals: string[] = [];
    const patient: Answer = async (...job) => {
      for (;;)
        try {
          return await build(...job);
        } catch (error) {
          if (!(error instanceof FarmError && error.code === "RESOURCE_EXHAUSTED")) throw error;
          refusals.push(error.message);
          await pause(20);
        }
    };
    start(builder(address, patient));
    start(runner(address, 1));
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the first result");
    const held = async () => Number((await store.query<{ n: number }>("select sum(size)::integer as n from blobs"))[0]?.n);
    const before = await held();
    const { artifacts, admin } = client().tracker;
    const filler = Buffer.alloc(maxStoreBytes - before - 10, "filler");
    const old = await artifacts.upload(filler);

    expect(await codeOf(artifacts.upload(Buffer.alloc(11)))).toEqual({
      code: "RESOURCE_EXHAUSTED",
      message:
        "the artifact store is full: it holds 19990 bytes, 11 more were to come, and it keeps at most 20000; warpfarm gc --older-than 10m makes room",
    });
    expect(await artifacts.upload(filler)).toBe(old); // there already, so no more
    // Of uploads that come together, the one that fits is accepted.
    const together = await Promise.allSettled([11, 12, 9].map((size) => artifacts.upload(Buffer.alloc(size))));
    expect(together.map((t) => t.status)).toEqual(["rejected", "rejected", "fulfilled"]);
    c.send(2, programOf("p2"));
    await until(() => refusals.length > 2, "the build to be refused");
    c.send(3, programOf("p1"));
    await until(() => c.results.size === 2, "what is built to run");
    expect([...c.results.keys()]).toEqual([1, 3]);
    expect(await held()).toBe(maxStoreBytes - 1);

    await store.query("update blobs set used_at = now() - interval '1 hour' where digest = $1", [old]);
    expect(await admin.collectGarbage({ keepMs: 0 })).toMatchObject({ blobs: 1, bytes: filler.length });
    await until(() => c.results.size === 3, "the one that waited");
    expect([1, 2, 3].map((sequence) => c.results.get(sequence)?.kind)).toEqual(["timed", "timed", "timed"]);
    expect(await held()).toBeLessThan(3 * before);
  });
});
