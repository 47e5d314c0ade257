/** What several principals read of one table of records; each check is run on an empty one. */
import type { Json } from "@warpfarm/common";
import { expect } from "vitest";
import { type Claim, claimName, claimOf } from "../records/src/claim.ts";
import { standings } from "../records/src/standing.ts";
import { PackedRecord } from "../records/src/store/rows.ts";
import type { Sql } from "../records/src/store/sql.ts";
import { SqlStore } from "../records/src/store/sql-store.ts";
import type { TuningRecord } from "../records/src/tuning-record.ts";
import { digest, failed, h100, h200, nowMs, record, timed } from "./record-store-contract.ts";

export type SharingCheck = (sql: Sql) => Promise<void>;

const args: Json[] = [64, 64, 64];
const task = "matmul";
const asked = { task, args };
const storeOf = (sql: Sql, name: string, seesAll = false) => new SqlStore({ sql, viewer: { name, seesAll } });
const by = (name: string) => ({ origin: { kind: "measured", by: name } }) as const;
const bestOf = async (store: SqlStore) => (await store.best(asked)).map(({ record }) => record.program);
const verified = (each: TuningRecord) => PackedRecord.of(each, standings.verified);

export const sharingContract: Readonly<{ [name: string]: SharingCheck }> = {
  async "gives others nothing of a record that nobody verified, and its owner all of it, marked"(sql) {
    const [ada, bob, root] = [storeOf(sql, "ada"), storeOf(sql, "bob"), storeOf(sql, "root", true)];
    const own = record("private", { private: true, program: digest("x") });
    const { config: _, ...withoutConfig } = record("interleaved");
    await ada.append([record("offered"), own, withoutConfig, record("file", { templateVersion: "sha256:1" })]);
    const marks = async (store: SqlStore) =>
      Object.fromEntries((await store.query({})).records.map(({ id, standing }) => [id, standing]));
    const all = { offered: "unverified", private: "own", interleaved: "own", file: "own" };
    expect(await marks(ada)).toEqual(all);
    expect(await marks(bob)).toEqual({});
    expect(await marks(root)).toEqual(all);
    expect(await bestOf(ada)).toHaveLength(1);
    expect(await bestOf(bob)).toEqual([]);
    expect(await bestOf(root)).toEqual([]);
    expect((await root.query({ believed: true })).records).toEqual([]);
    const exported: string[] = [];
    for await (const { id } of bob.export(asked)) exported.push(id);
    expect(exported).toEqual([]);
  },

  async "shows others the shared part of a verified record, and nothing of a private one"(sql) {
    const [ada, bob] = [storeOf(sql, "ada"), storeOf(sql, "bob")];
    await ada.append([verified(record("s-1/1")), verified(record("s-1/2", { private: true, program: "sha256:x" }))]);
    expect((await ada.query({})).records.map(({ standing }) => standing).sort()).toEqual(["own", "verified"]);
    const [seen, ...more] = (await bob.query({})).records;
    expect(more).toEqual([]);
    expect(seen).toMatchObject({ task, device: { name: "NVIDIA H100" }, origin: { by: "" }, standing: "verified" });
    for (const word of ["s-1", "ada", "team", "GPU-1", "n1"]) expect(JSON.stringify(seen)).not.toContain(`"${word}`);
    for (const filter of [{ session: "s-1" }, { by: "ada" }, { ids: ["s-1/1"] }, { by: "ada", task }])
      expect((await bob.query(filter)).records).toEqual([]);
    expect((await bob.best(asked)).map((b) => b.tied.length)).toEqual([1]);
    expect((await ada.best(asked)).map((b) => b.tied.length)).toEqual([2]);
    expect(await bob.delete({ task })).toBe(0);
  },

  async "compares what is verified with one's own, in each order and page by page, and nothing else"(sql) {
    const ada = storeOf(sql, "ada");
    const all = Array.from({ length: 40 }, (_, i) =>
      record(`r${(i * 17) % 40}`, {
        ...by(["ada", "bob", "eve"][i % 3] as string),
        args: [i % 4],
        timestampMs: nowMs - (i % 9),
        device: [h100, h200][i % 2] as typeof h100,
        result: i % 7 === 0 ? failed(5) : timed((1 + ((i * 5) % 11)) * 1e-3),
      }),
    );
    const isVerified = (i: number) => i % 5 === 0;
    await storeOf(sql, "x").append(all.map((each, i) => (isVerified(i) ? verified(each) : PackedRecord.of(each))));
    const visible = all.filter((each, i) => isVerified(i) || each.origin.by === "ada");
    for (const filter of [{}, { task }, { task, args: [1] as Json[] }, { deviceName: h100.name }, { template: "matmul_mma" }])
      for (const order of ["newest", "oldest", "fastest"] as const) {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await ada.query({ ...filter, order, limit: 7, ...(cursor === undefined ? {} : { cursor }) });
          found.push(...page.records.map(({ program }) => program as string));
          cursor = page.next;
        } while (cursor !== undefined);
        const wanted = visible.filter(
          (each) =>
            (!("args" in filter) || each.args[0] === 1) &&
            (!("deviceName" in filter) || each.device?.name === h100.name) &&
            (order !== "fastest" || each.result.kind === "timed"),
        );
        expect(found.toSorted(), `${JSON.stringify(filter)} ${order}`).toEqual(wanted.map((each) => each.program).toSorted());
      }
    const best = (args: Json[], name: string) =>
      Math.min(
        ...visible
          .filter((each) => each.args[0] === args[0] && each.device?.name === name && each.result.kind === "timed")
          .map(({ result }) => (result.kind === "timed" ? (result.costs[0] as number) : 0)),
      );
    for (const i of [0, 1, 2, 3])
      for (const found of await ada.best({ task, args: [i] })) expect(found.seconds).toBe(best([i], found.device.name));
  },

  async "keeps a record that somebody imported with him, and gives an admin's to all"(sql) {
    const [ada, bob, root] = [storeOf(sql, "ada"), storeOf(sql, "bob"), storeOf(sql, "root", true)];
    const line = (change: Partial<TuningRecord>) => JSON.stringify(JSON.parse(PackedRecord.of(record("s/1", change)).doc));
    const any = { ...asked, origin: "any" } as const;
    await bob.append([PackedRecord.imported(line({ result: timed(1e-6) }), "bob")]);
    expect(await ada.best(any)).toEqual([]);
    expect((await bob.best(any)).map(({ record }) => record.standing)).toEqual(["own"]);
    await root.append([
      PackedRecord.imported(line({}), "root", true),
      PackedRecord.imported(line({ private: true }), "root", true),
    ]);
    expect((await ada.query({})).records.map(({ standing, origin }) => [standing, origin.kind])).toEqual([
      ["shared", "imported"],
    ]);
    expect((await ada.best(any)).map(({ seconds }) => seconds)).toEqual([1e-3]);
  },

  async "does not let one principal take the id that another's import will have"(sql) {
    const [ada, bob] = [storeOf(sql, "ada"), storeOf(sql, "bob")];
    const whole = record("csv/x", { origin: { kind: "imported", by: "", format: "csv" } });
    const text = (change: Partial<TuningRecord> = {}) => PackedRecord.of({ ...whole, ...change }).doc;
    const honest = PackedRecord.imported(text(), "ada");
    // bob knows the file. He imports it, and with another time under the id that ada's import has.
    await bob.append([
      PackedRecord.imported(text(), "bob"),
      PackedRecord.imported(text({ id: honest.record.id, result: timed(1e-15) }), "bob"),
      PackedRecord.imported(text({ result: timed(1e-15) }), "bob"),
    ]);
    expect(await ada.append([honest])).toEqual({ added: 1, existed: 0, conflicts: [] });
    expect((await ada.query({})).records.map(({ result }) => result)).toEqual([whole.result]);
    expect(await ada.append([PackedRecord.imported(text(), "ada")])).toEqual({ added: 0, existed: 1, conflicts: [] });
    // What she exports and imports again is there.
    const [again] = (await ada.query({})).records;
    const { standing: _, ...exported } = again as TuningRecord;
    expect(await ada.append([PackedRecord.imported(PackedRecord.of(exported).doc, "ada")])).toMatchObject({
      added: 0,
      existed: 1,
    });
  },

  async "names the claim of what a builder can replay, and no other"(sql) {
    const { config, ...base } = record("base");
    await storeOf(sql, "ada").append([
      record("one"),
      { ...record("same"), program: digest("one") },
      record("other", { program: digest("one"), target: "cuda/sm_90a" }),
      { ...base, program: digest("one") },
      record("private", { private: true }),
      record("file", { templateVersion: "sha256:1" }),
      record("imported", { origin: { kind: "imported", by: "ada", format: "csv" } }),
      (({ template: _, ...rest }) => rest)(record("untold")),
      (({ program: _, ...rest }) => rest)(record("unnamed")),
    ]);
    const rows = await sql.query<{ id: string; claim: string | null }>("select id, claim::text as claim from records");
    const claim = new Map(rows.map((row) => [row.id, row.claim]));
    for (const id of ["private", "file", "imported", "untold", "unnamed"]) expect(claim.get(id), id).toBeNull();
    expect(claim.get("one")).toBe(claim.get("same"));
    expect(new Set(["one", "other", "base"].map((id) => claim.get(id))).size).toBe(3);
    const named = claimOf({ ...base, program: digest("one") });
    expect(claim.get("base")?.replaceAll("-", "")).toBe(claimName(named as Claim));
    expect(config).toBeDefined();
  },

  async "keeps the best that everybody reads, whatever fast records others have of their own"(sql) {
    const days = (n: number) => nowMs - n * 24 * 3_600_000;
    const old = (id: string, name: string, seconds: number) =>
      record(id, { ...by(name), timestampMs: days(90), result: timed(seconds) });
    await storeOf(sql, "x").append([verified(old("best", "ada", 1e-3)), old("eve", "eve", 1e-9), old("slow", "eve", 1e-6)]);
    const root = storeOf(sql, "root", true);
    expect(await root.prune({ nowMs, ageMs: 60 * 24 * 3_600_000, keepBest: 1 })).toBe(1);
    expect((await root.query({})).records.map(({ id }) => id).sort()).toEqual(["best", "eve"]);
  },

  async "lets an admin share what passes a filter, besides private records"(sql) {
    const [ada, bob, root] = [storeOf(sql, "ada"), storeOf(sql, "bob"), storeOf(sql, "root", true)];
    await ada.append([record("a"), record("b", { private: true }), record("c", { task: "other" }), verified(record("d"))]);
    await expect(root.share({})).rejects.toThrow("sharing takes a filter");
    expect(await root.share({ task })).toBe(1);
    expect(await root.share({ task })).toBe(0);
    expect((await bob.query({})).records.map(({ standing }) => standing).sort()).toEqual(["shared", "verified"]);
    expect(await bob.best(asked)).toHaveLength(1);
    const { rows } = await bob.offered(asked, 10);
    expect(rows).toBe(0);
  },

  async "says how many of others' records wait, and names the claims that would win, each principal in turn"(sql) {
    const [ada, bob] = [storeOf(sql, "ada"), storeOf(sql, "bob")];
    const of = (name: string, n: number, seconds: (i: number) => number) =>
      Array.from({ length: n }, (_, i) =>
        record(`${name}/${i}`, {
          ...by(name),
          reference: digest("r"),
          config: { index: i, code_hash: null, entity: [["tile", "sp", [name, i]]] },
          result: timed(seconds(i)),
        }),
      );
    await ada.append([
      verified(record("best", { ...by("carl"), result: timed(1e-3) })),
      ...of("eve", 30, (i) => (1 + i) * 1e-9),
      ...of("bob", 3, (i) => 0.9e-3 + i * 1e-4),
      ...of("ada", 2, () => 1e-6),
    ]);
    const { claims, rows } = await ada.offered(asked, 4);
    expect(rows).toBe(33);
    const named = async (store: SqlStore) => {
      const found = await store.offered(asked, 4);
      const names = await sql.query<{ id: string; claim: string }>(
        "select id, replace(claim::text, '-', '') as claim from records where claim is not null",
      );
      return found.claims.map((claim) => names.find((each) => each.claim === claim)?.id);
    };
    expect(claims).toHaveLength(4);
    // A third of bob's is slower than the best, and bob's is not behind all of eve's.
    expect(await named(ada)).toEqual(["eve/0", "bob/0", "eve/1", "bob/1"]);
    expect(await named(bob)).toEqual(["eve/0", "ada/0", "eve/1", "ada/1"]);
    expect(await ada.offered({ task: "other" }, 4)).toEqual({ claims: [], rows: 0 });
    expect(await ada.offered({ task, outcome: "failed" }, 4)).toEqual({ claims: [], rows: 0 });
    expect((await ada.offered({ task, device: "cuda/sm_80" }, 4)).rows).toBe(0);
  },
};
