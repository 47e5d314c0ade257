/** Receipts that a tracker signs: of what it measured itself and of bytes that it holds, for whom the record belongs to. */
import { createPublicKey } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "@warpfarm/common";
import { encodeRecord, type TuningRecord } from "@warpfarm/records";
import { publicKeyOf, publicKeysIn, readReceipt } from "@warpfarm/records/receipts";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { doorsOf, tokenOf } from "../../test-support/farm/claims.ts";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, testTracker, timedResult } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { readReceiptKey, rotateReceiptKey } from "../src/doors/receipt-key.ts";
import type { TrackerOptions } from "../src/tracker.ts";

const { farm } = useFarms();
const silent = pino({ level: "silent" });

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "warpfarm-receipts-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A farm with tokens, whose runner measures in 1.00, 1.01, ... s, and whose tracker has a key. */
async function opened(options: Partial<Omit<TrackerOptions, "data">> = {}) {
  const file = join(folder(), "key");
  const key = createPublicKey(await rotateReceiptKey(file));
  const doors = doorsOf(["client alice", "client bob", "admin admin", "builder builder", "runner runner"]);
  const f = await farm({ doors, ...quick, log: silent, receiptKey: file, ...options });
  let measured = 0;
  const answer: Answer = ({ job }) => {
    if (job.kind !== "run") throw new Error("not a run");
    const result = timedResult(1 + measured++ / 100, cpu(1), job.artifact);
    return { kind: "run", result: { ...result, checked: job.reference !== undefined } as typeof result };
  };
  f.start(builder(f.address, undefined, 4, tokenOf("builder")));
  f.start(runner(f.address, 1, answer, { token: tokenOf("runner") }));
  const [alice, bob, admin] = (["alice", "bob", "admin"] as const).map((who) => f.client(tokenOf(who))) as [
    ScriptedClient,
    ScriptedClient,
    ScriptedClient,
  ];
  const sign = (client: ScriptedClient, id: string, withDocuments = true) => client.tracker.receipts.sign(id, { withDocuments });
  return { ...f, file, key, alice, bob, admin, sign };
}

/** Measures p compared with r in so many sessions, and returns the records, the oldest first. */
async function sessions(client: ScriptedClient, count: number, options = {}): Promise<readonly TuningRecord[]> {
  const before = (await client.tracker.records.query({ limit: 1000 })).records.length;
  for (let i = 0; i < count; i++) {
    client.results.clear();
    await client.open({ check: "reference", ...options }, { provenance: { task: "t", args: [1] } });
    client.stream();
    const [program, reference] = [programOf("p"), programOf("r")];
    client.raw({
      kind: "input",
      sequence: 1,
      program: { kind: "program", program },
      reference: { kind: "program", program: reference },
    });
    await until(() => client.results.size === 1, "the result");
    await client.finish();
  }
  let records: readonly TuningRecord[] = [];
  await until(async () => {
    ({ records } = await client.tracker.records.query({ order: "oldest", limit: 1000 }));
    return records.length === before + count;
  }, "the records");
  return records;
}

describe("a tracker with a key", () => {
  it("signs for the owner and an admin, with digests of the bytes that it holds", async () => {
    const { alice, bob, admin, sign, key } = await opened();
    const [first] = await sessions(alice, 5);
    const id = first?.id ?? "";
    const read = readReceipt(await sign(alice, id), [key]);
    if (read.kind !== "receipt") throw new Error(read.why);
    const { receipt } = read;
    const [p, r] = [programOf("p"), programOf("r")];
    const code = `code of ${p.digest}`;
    expect(Object.fromEntries(receipt.subjects)).toEqual({
      program: p.digest,
      reference: r.digest,
      artifact: first?.artifact,
      code: digestOf(code),
    });
    expect(receipt).toMatchObject({ sessions: 5, outcome: "PASSED", task: "t", isVerified: false, device: { uuid: "cpu-1" } });
    expect(receipt.documents).toEqual({ program: String(p.bytes), reference: String(r.bytes) });
    // exp of the mean of the logarithms of 1, 1.01, ... 1.04.
    expect(receipt.seconds).toBeCloseTo((1 * 1.01 * 1.02 * 1.03 * 1.04) ** 0.2, 9);
    expect(readReceipt(await sign(admin, id, false), [key])).toMatchObject({ kind: "receipt" });
    expect(readReceipt(await sign(alice, id, false), [key])).not.toHaveProperty("receipt.documents");
    expect(await codeOf(sign(bob, id))).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("none of your records"),
    });
    const given = await bob.tracker.receipts.keys();
    expect(given.map(({ id, untilMs }) => [id, untilMs])).toEqual([[publicKeyOf(key).id, undefined]]);
    expect(publicKeysIn("k", given[0]?.pem ?? "")[0]?.equals(key)).toBe(true);
  });

  it("signs nothing of too few sessions, and counts none of other conditions or of another user", async () => {
    const { alice, bob, admin, sign } = await opened();
    const records = await sessions(alice, 4);
    await sessions(alice, 1, { repeat: 7 });
    await sessions(bob, 1);
    expect(await admin.tracker.records.share({ by: "bob" })).toBe(1);
    expect(await codeOf(sign(alice, records[0]?.id ?? ""))).toEqual({
      code: "FAILED_PRECONDITION",
      message: expect.stringMatching(/was measured in 4 sessions .* takes 5; run the same `warpfarm measure` 1 more times/),
    });
    await sessions(alice, 1);
    expect(await sign(alice, records[0]?.id ?? "")).toContain("payload");
  });

  it("signs no record that was imported, whoever imports it and whatever it says", async () => {
    const { alice, admin, sign } = await opened();
    const [mine] = await sessions(alice, 5);
    for (const client of [alice, admin]) {
      await client.tracker.records.append([{ ...(mine as TuningRecord), id: "x", args: [2] }]);
      const { records } = await client.tracker.records.query({ origin: "imported", task: "t", args: [2] });
      const [claimed] = records;
      expect(claimed?.program).toBe(programOf("p").digest);
      expect(await codeOf(sign(client, claimed?.id ?? ""))).toMatchObject({
        code: "FAILED_PRECONDITION",
        message: expect.stringContaining("was imported"),
      });
    }
  });

  it("signs no digest whose bytes it does not hold, or holds changed", async () => {
    const { store, alice, sign } = await opened();
    const [first] = await sessions(alice, 5);
    const { id = "", artifact = "", program = "", reference = "" } = first ?? {};
    const code = digestOf(`code of ${program}`);
    for (const [table, digest] of [
      ["programs", program],
      ["programs", reference],
      ["blobs", artifact],
      ["blobs", code],
    ] as const) {
      const [row] = await store.query<{ bytes: Uint8Array }>(`select bytes from ${table} where digest = $1`, [digest]);
      const bytes = row?.bytes ?? new Uint8Array();
      await store.query(`update ${table} set bytes = $2 where digest = $1`, [digest, Buffer.concat([bytes, Buffer.from(" ")])]);
      expect(await codeOf(sign(alice, id))).toMatchObject({ code: "DATA_LOSS" });
      await store.query(`update ${table} set digest = 'gone', bytes = $2 where digest = $1`, [digest, bytes]);
      const refused = await codeOf(sign(alice, id));
      expect(refused).toMatchObject({ code: "FAILED_PRECONDITION", message: expect.stringContaining(`no longer holds the`) });
      expect(refused.message).toContain(digest);
      await store.query(`update ${table} set digest = $1 where digest = 'gone'`, [digest]);
    }
    expect(await sign(alice, id)).toContain("payload");
  });

  it("signs no record in whose time or claim the farm does not believe, no failure, none of several together", async () => {
    const { store, alice, sign } = await opened();
    const [first] = await sessions(alice, 5);
    const id = first?.id ?? "";
    const failed: TuningRecord = { ...(first as TuningRecord), result: { kind: "failed", errorNo: 5, message: "no" } };
    const early = { ...first, result: { ...first?.result, kind: "slower", atLeast: 1 } } as TuningRecord;
    const unsteady: TuningRecord = { ...(first as TuningRecord), observations: { steady: false } };
    const together: TuningRecord = { ...(first as TuningRecord), interleaved: { run: "r", place: 1, of: 2 } };
    const scored: TuningRecord = { ...(first as TuningRecord), judged: { sets: 3, commitment: "ab".repeat(32) } };
    for (const [changed, why] of [
      [failed, "is a failure"],
      [early, "was ended early"],
      [scored, "was judged without an audit"],
      [unsteady, "before the device's power was steady"],
      [together, "was measured interleaved with others"],
    ] as const) {
      await store.query("update records set doc = $1 where doc like $2", [
        encodeRecord(changed),
        `%${JSON.stringify(id).slice(1, -1)}%`,
      ]);
      expect(await codeOf(sign(alice, id))).toMatchObject({ code: "FAILED_PRECONDITION", message: expect.stringContaining(why) });
    }
    await store.query("update records set doc = $1 where doc like $2", [encodeRecord(first as TuningRecord), `%${id}%`]);
    for (const [no, why] of [
      [4, "is refuted"],
      [5, "is doubted"],
      [6, "is disputed"],
    ] as const) {
      await store.query("update records set standing = $1", [no]);
      expect(await codeOf(sign(alice, id))).toMatchObject({ code: "FAILED_PRECONDITION", message: expect.stringContaining(why) });
    }
  });

  it("reads its key anew, keeps each public key with its dates and no private one", async () => {
    const { store, file, key, alice, sign } = await opened();
    const [first] = await sessions(alice, 5);
    const before = await sign(alice, first?.id ?? "");
    const second = createPublicKey(await rotateReceiptKey(file));
    const after = await sign(alice, first?.id ?? "");
    expect(readReceipt(before, [second]).kind).toBe("wrong");
    expect(readReceipt(after, [key]).kind).toBe("wrong");
    const given = await alice.tracker.receipts.keys();
    const keys = publicKeysIn("k", given.map(({ pem }) => pem).join(""));
    expect([before, after].map((text) => readReceipt(text, keys).kind)).toEqual(["receipt", "receipt"]);
    expect(given.map(({ id }) => id)).toEqual([second, key].map((each) => publicKeyOf(each).id));
    expect(given[1]?.untilMs).toBe(given[0]?.sinceMs);
    expect(given[0]?.sinceMs).toBeGreaterThan(given[1]?.sinceMs ?? 0);
    // The seed of an Ed25519 key is the end of its PKCS #8.
    const secret = readReceiptKey(file).export({ type: "pkcs8", format: "der" }).subarray(-32);
    const rows = await store.query<{ all: string }>("select string_agg(k::text, '') as all from receipt_keys k");
    for (const form of ["base64", "hex"] as const) expect(rows[0]?.all).not.toContain(secret.toString(form));
    expect(rows[0]?.all).not.toContain("PRIVATE");
  });

  it("names a key that was put back as the current one", async () => {
    const { file, key, alice } = await opened();
    const old = readFileSync(file);
    const second = createPublicKey(await rotateReceiptKey(file));
    await alice.tracker.receipts.keys();
    writeFileSync(file, old);
    const given = await alice.tracker.receipts.keys();
    expect(given.map(({ id }) => id)).toEqual([key, second].map((each) => publicKeyOf(each).id));
    expect(given.map(({ untilMs }) => untilMs)).toEqual([undefined, given[0]?.sinceMs]);
    expect(await alice.tracker.receipts.keys()).toEqual(given);
  });

  it("whose key others can read signs nothing, gives the public keys, and does not start again", async () => {
    const { store, file, key, alice, sign } = await opened();
    const [first] = await sessions(alice, 5);
    chmodSync(file, 0o640);
    const refused = await codeOf(sign(alice, first?.id ?? ""));
    expect(refused).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("has mode 640") });
    expect(refused.message).toContain(`run chmod 600 ${file}`);
    expect((await alice.tracker.receipts.keys()).map(({ id }) => id)).toEqual([publicKeyOf(key).id]);
    await expect(testTracker(store, { receiptKey: file })).rejects.toThrow("has mode 640");
  });
});

it("a tracker without a key says how to give it one", async () => {
  const { address, client } = await farm();
  const c = client();
  expect(address).not.toBe("");
  expect(await codeOf(c.tracker.receipts.sign("x", { withDocuments: true }))).toMatchObject({
    code: "FAILED_PRECONDITION",
    message: expect.stringContaining("start it with --receipt-key FILE"),
  });
  expect(await c.tracker.receipts.keys()).toEqual([]);
});

describe("the file of a key", () => {
  it("is the owner's alone, and is replaced as a whole", async () => {
    const file = join(folder(), "key");
    const one = await rotateReceiptKey(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readReceiptKey(file).equals(one)).toBe(true);
    const inode = statSync(file).ino;
    const two = await rotateReceiptKey(file);
    expect([readReceiptKey(file).equals(two), two.equals(one), statSync(file).ino === inode]).toEqual([true, false, false]);
    expect(readFileSync(file, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  it("takes the place of a private key alone", async () => {
    const file = join(folder(), "farm.pem");
    const { pem } = publicKeyOf(await rotateReceiptKey(join(folder(), "key")));
    writeFileSync(file, pem);
    await expect(rotateReceiptKey(file)).rejects.toThrow(`${file} holds no private Ed25519 key, and is not replaced by one`);
    expect(readFileSync(file, "utf8")).toBe(pem);
  });

  it("that is a folder is named as one", () => {
    expect(() => readReceiptKey(folder())).toThrow(/^the key \S+ cannot be read: it is a folder, not a file; /);
  });

  it("that is missing is named, with the command that makes it", () => {
    expect(() => readReceiptKey("/no/such/key")).toThrow(
      /^the key \/no\/such\/key cannot be read: .*; warpfarm keys rotate --file makes one$/,
    );
  });
});
