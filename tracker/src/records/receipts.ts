/**
 * Signs receipts of what this farm measured. What goes into one is observed: the times of registered devices, and digests of
 * bytes that the store holds now, each computed here. An imported record, which somebody only claims, gets none.
 */
import type { KeyObject } from "node:crypto";
import { type Clock, countWords, type Digest, defined, digestOf, FarmError, isUnaudited, type Json } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";
import { SqlStore, type TuningRecord } from "@warpfarm/records";
import {
  circumstancesOf,
  leastSessions,
  type ReceiptKey,
  receiptFile,
  type Subject,
  sessionTimes,
} from "@warpfarm/records/receipts";
import { readReceiptKey } from "../doors/receipt-key.ts";
import { hasEveryRight, viewerOf } from "../doors/rights.ts";
import type { Database } from "../store/database.ts";
import { keepReceiptKey, receiptKeys } from "../store/sql/receipt-keys.ts";

/** The newest measurements of the program in which sessions are looked for. */
const mostMeasurements = 1_000;

const not = (message: string): never => {
  throw new FarmError("FAILED_PRECONDITION", message);
};

export class Receipts {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #keyFile: string | undefined;

  constructor(db: Database, clock: Clock, keyFile: string | undefined) {
    this.#db = db;
    this.#clock = clock;
    this.#keyFile = keyFile;
  }

  /** Keeps the public key. Throws INVALID_ARGUMENT for a key that cannot be used. */
  async open(): Promise<void> {
    if (this.#keyFile !== undefined) await this.#key(this.#keyFile);
  }

  async sign(id: string, principal: Principal, { withDocuments }: { readonly withDocuments: boolean }): Promise<string> {
    if (this.#keyFile === undefined)
      return not("this tracker signs no receipts; start it with --receipt-key FILE, which `warpfarm keys rotate --file` makes");
    const record = await this.#observed(id, principal);
    const { subjects, documents } = await this.#subjectsOf(record);
    const sessions = sessionTimes(await this.#alike(record, principal));
    if (sessions.length < leastSessions)
      not(
        `${id} was measured in ${countWords(sessions.length, "session")} on this device under these conditions, and the interval for another session takes ${leastSessions}; run the same \`warpfarm measure\` ${leastSessions - sessions.length} more times`,
      );
    const key = await this.#key(this.#keyFile);
    const more = withDocuments ? { documents } : {};
    return receiptFile({ record, sessions, subjects, ...more, issuedMs: this.#clock.now() }, key);
  }

  /** All public keys, with that of the file as it is now. */
  async keys(): Promise<readonly ReceiptKey[]> {
    // A key that cannot be used now takes no other from its reader.
    await this.open().catch((error: unknown) => {
      if (!(error instanceof FarmError) || error.code !== "INVALID_ARGUMENT") throw error;
    });
    return receiptKeys(this.#db);
  }

  async #key(file: string): Promise<KeyObject> {
    const key = readReceiptKey(file);
    await keepReceiptKey(this.#db, key);
    return key;
  }

  #storeFor(principal: Principal): SqlStore {
    return new SqlStore({ sql: this.#db, ...defined({ viewer: viewerOf(principal) }) });
  }

  /** The caller's record that this farm measured, or why there is no receipt of it. */
  async #observed(id: string, principal: Principal): Promise<TuningRecord> {
    const { records } = await this.#storeFor(principal).query({ ids: [id] });
    const [record] = records;
    if (record === undefined || !isOwn(record, principal))
      throw new FarmError("NOT_FOUND", `none of your records is ${JSON.stringify(id)}; \`records query\` lists them`);
    const { origin, result, interleaved, standing, device, observations, judged } = record;
    if (origin.kind !== "measured") not(`${id} was imported; a receipt is of what this farm measured itself`);
    if (result.kind === "slower")
      not(`${id} was ended early, so its time is not known; \`warpfarm measure\` it, alone, which measures to the end`);
    if (result.kind !== "timed" || device === undefined) not(`${id} is a failure; a receipt is of a time`);
    if (interleaved !== undefined)
      not(`${id} was measured interleaved with others, which is another condition than alone; \`warpfarm measure\` it first`);
    if (isUnaudited(judged)) not(`${id} was judged without an audit; \`warpfarm measure\` it, alone, which audits`);
    if (observations?.steady === false)
      not(`${id} was timed before the device's power was steady; \`warpfarm measure\` it again`);
    if (standing === "refuted" || standing === "doubted" || standing === "disputed")
      not(`${id} is ${standing}; a receipt is of a measurement in which this farm believes`);
    return record;
  }

  /**
   * All measurements of the same under the same conditions on the same card: the caller's, and for an admin everybody's. What
   * others read of a record has no artifact and no card.
   */
  async #alike(record: TuningRecord, principal: Principal): Promise<readonly TuningRecord[]> {
    const { program, device } = record;
    const of = {
      ...defined({ program, device: device?.key, deviceName: device?.name }),
      outcome: "timed",
      origin: "measured",
    } as const;
    const { records } = await this.#storeFor(principal).query({ ...of, order: "newest", limit: mostMeasurements });
    const circumstances = circumstancesOf(record);
    return records.filter((each) => circumstancesOf(each) === circumstances);
  }

  async #subjectsOf({ program = "", reference, artifact = "" }: TuningRecord): Promise<{
    readonly subjects: readonly Subject[];
    readonly documents: { readonly program: string; readonly reference?: string };
  }> {
    const document = await this.#bytesOf("programs", "program", program);
    const compared = reference === undefined ? undefined : await this.#bytesOf("programs", "reference", reference);
    const manifest = await this.#bytesOf("blobs", "artifact", artifact);
    const made = parsed(manifest);
    if (made.program !== program) not(`artifact ${artifact} was made of ${String(made.program)}, not of ${program}`);
    const code = await this.#bytesOf("blobs", "code", String(made.code));
    const subjects = [
      subject("program", document),
      ...sourcesIn(parsed(document)),
      subject("artifact", manifest),
      subject("code", code),
      ...(compared === undefined ? [] : [subject("reference", compared)]),
    ];
    return { subjects, documents: { program: document.toString(), ...defined({ reference: compared?.toString() }) } };
  }

  /** The bytes that the store has under that name, and no others. */
  async #bytesOf(table: "programs" | "blobs", what: string, digest: string): Promise<Buffer> {
    const [row] = await this.#db.query<{ bytes: Uint8Array }>(`select bytes from ${table} where digest = $1`, [digest]);
    if (row === undefined)
      return not(
        `the tracker no longer holds the ${what} ${digest}, so it cannot vouch for it; it keeps them for --keep-artifacts after their last use: measure again`,
      );
    const bytes = Buffer.from(row.bytes);
    if (digestOf(bytes) !== digest)
      throw new FarmError("DATA_LOSS", `the store's ${what} ${digest} has the digest ${digestOf(bytes)}`);
    return bytes;
  }
}

const isOwn = ({ origin }: TuningRecord, principal: Principal): boolean =>
  hasEveryRight(principal) || origin.by === principal.name;

const subject = (name: string, bytes: Uint8Array | string): Subject => ({ name, digest: digestOf(bytes) as Digest });

const parsed = (bytes: Buffer): { readonly [name: string]: Json } => JSON.parse(bytes.toString());

/** The texts that a compiler read: of a kernel in CUDA its files, of one in PTX its text. */
function sourcesIn({ kind, files, text }: { readonly [name: string]: Json }): readonly Subject[] {
  if (kind === "ptx" && typeof text === "string") return [subject("source/kernel.ptx", text)];
  if (kind !== "cuda_source" || typeof files !== "object" || files === null) return [];
  return Object.entries(files).map(([name, content]) => subject(`source/${name}`, String(content)));
}
