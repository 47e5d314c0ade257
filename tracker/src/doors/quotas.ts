/**
 * What one principal may have and use, so that it does not lock others out. The store has the truth of all trackers. A tracker
 * reads it every second (large sums every ten) and adds what came here since. So an input costs comparisons and no statement, and
 * several trackers together exceed a limit only by what they accept meanwhile. Nothing is counted for `local`, the principal of
 * everybody where no tokens are required.
 */
import { badInput, type Clock, FarmError } from "@warpfarm/common";
import type { Database } from "../store/database.ts";
import { megabytes } from "../store/megabytes.ts";
import {
  addSpent,
  type Kept,
  keptByPrincipal,
  type Outstanding,
  outstandingByPrincipal,
  type Spent,
  spentByPrincipal,
} from "../store/sql/usage.ts";

export interface QuotaLimits {
  readonly maxOwnSessions: number;
  /** The most inputs that are accepted and not received, in all its sessions, and the most bytes of their programs. */
  readonly maxInputs: number;
  readonly maxInputBytes: number;
  readonly maxBuildTimeoutMs: number;
  readonly maxKeptBytes: number;
  readonly maxSuiteBytes: number;
  readonly maxImportedBytes: number;
  /** Milliseconds of builds within an hour. */
  readonly maxBuildMs: number;
  readonly maxDeviceMs: number;
}

export const defaultQuotaLimits: QuotaLimits = {
  maxOwnSessions: 100,
  maxInputs: 10_000,
  maxInputBytes: 256 << 20,
  maxBuildTimeoutMs: 600_000,
  maxKeptBytes: 2 * 2 ** 30,
  maxSuiteBytes: 2 * 2 ** 30,
  maxImportedBytes: 2 * 2 ** 30,
  maxBuildMs: Number.POSITIVE_INFINITY,
  maxDeviceMs: Number.POSITIVE_INFINITY,
};

const sumsEveryMs = 10_000;
/**
 * A principal at its limit that asks for sessions a thousand times a second costs a look-up each time, and a count once in this
 * time.
 */
const fullForMs = 250;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
const roomLater = (ms: number | null): string =>
  `there is room again in ${ms === null ? "an hour at most" : `${Math.max(1, Math.ceil(ms / 60_000))} min`}`;

/** The account of one principal, as far as this tracker knows. `sent…`: received here since the store was read. */
export class Account {
  readonly principal: string;
  readonly #limits: QuotaLimits;
  #inputs = 0;
  #inputBytes = 0;
  #sentInputs = 0;
  #sentBytes = 0;
  #keptBytes = 0;
  #sentKeptBytes = 0;
  #hour = { buildMs: 0, deviceMs: 0, buildRoomInMs: null as number | null, deviceRoomInMs: null as number | null };
  /** It had all its sessions a moment ago: the refusal, and until when it holds. */
  #full: { readonly error: FarmError; readonly until: number } | undefined;
  isRead = false;
  #untold = { buildMs: 0, deviceMs: 0 };

  constructor(principal: string, limits: QuotaLimits) {
    this.principal = principal;
    this.#limits = limits;
  }

  windowOf(asked: number): number {
    return Math.min(asked, this.#limits.maxInputs);
  }

  /** Accounts for an input with a number of bytes of programs. Throws RESOURCE_EXHAUSTED. */
  take(bytes: number): void {
    const { maxInputs, maxInputBytes } = this.#limits;
    const inputs = this.#inputs + this.#sentInputs;
    if (inputs >= maxInputs)
      this.#refuse(`has ${inputs} measurements outstanding`, "--quota inputs", maxInputs, "let some of its sessions end first");
    const held = this.#inputBytes + this.#sentBytes;
    if (held + bytes > maxInputBytes)
      this.#refuse(
        `has measurements of ${megabytes(held)} of programs outstanding and sends ${megabytes(bytes)} more`,
        "--quota input_mb",
        megabytes(maxInputBytes),
        "let some of its sessions end first, or measure fewer at a time (--in-flight)",
      );
    this.checkUse(bytes);
    this.#sentInputs++;
    this.#sentBytes += bytes;
    this.#sentKeptBytes += bytes;
  }

  /** Accounts for a blob, such as a bundle of headers. Throws RESOURCE_EXHAUSTED. */
  keep(bytes: number): void {
    this.checkUse(bytes);
    this.#sentKeptBytes += bytes;
  }

  received(): void {
    this.#sentInputs--;
  }

  /** Checks quotas that only time refills. Throws RESOURCE_EXHAUSTED. */
  checkUse(bytes = 0): void {
    const { maxKeptBytes, maxBuildMs, maxDeviceMs } = this.#limits;
    const kept = this.#keptBytes + this.#sentKeptBytes;
    if (kept + bytes > maxKeptBytes)
      this.#refuse(
        `has ${megabytes(kept)} of programs and artifacts in the store`,
        "--quota artifact_mb",
        megabytes(maxKeptBytes),
        "what is unused for --keep-artifacts is deleted; an admin makes room with warpfarm gc",
      );
    const { buildRoomInMs, deviceRoomInMs } = this.#hour;
    const buildMs = this.#hour.buildMs + this.#untold.buildMs;
    if (buildMs >= maxBuildMs)
      this.#refuse(
        `used ${seconds(buildMs)} of builders within an hour`,
        "--quota build_time",
        seconds(maxBuildMs),
        roomLater(buildRoomInMs),
      );
    const deviceMs = this.#hour.deviceMs + this.#untold.deviceMs;
    if (deviceMs >= maxDeviceMs)
      this.#refuse(
        `used ${seconds(deviceMs)} of devices within an hour`,
        "--quota device_time",
        seconds(maxDeviceMs),
        roomLater(deviceRoomInMs),
      );
  }

  /** Why it gets no further session; undefined when the store must be asked. */
  full(now: number): FarmError | undefined {
    return this.#full && now < this.#full.until ? this.#full.error : undefined;
  }
  setFull(error: FarmError, now: number): void {
    this.#full = { error, until: now + fullForMs };
  }
  sessionEnded(): void {
    this.#full = undefined;
  }

  spent({ buildMs = 0, deviceMs = 0 }: Partial<Spent>): void {
    this.#untold.buildMs += buildMs;
    this.#untold.deviceMs += deviceMs;
  }

  /** Call before asking the store, whose answer includes what came until then. Pass the answer to the returned function. */
  askOutstanding(): (answer: Outstanding | undefined) => void {
    const [inputs, bytes] = [this.#sentInputs, this.#sentBytes];
    return (answer) => {
      this.#inputs = answer?.inputs ?? 0;
      this.#inputBytes = answer?.bytes ?? 0;
      this.#sentInputs -= inputs;
      this.#sentBytes -= bytes;
    };
  }
  askKept(): (answer: Kept | undefined) => void {
    const bytes = this.#sentKeptBytes;
    return (answer) => {
      this.#keptBytes = answer?.bytes ?? 0;
      this.#sentKeptBytes -= bytes;
    };
  }
  /** The use that the store must be told. Call `told` afterwards. */
  tell(): { readonly spent: Spent; readonly told: () => void } {
    const { buildMs, deviceMs } = this.#untold;
    const told = () => {
      this.#hour = { ...this.#hour, buildMs: this.#hour.buildMs + buildMs, deviceMs: this.#hour.deviceMs + deviceMs };
      this.spent({ buildMs: -buildMs, deviceMs: -deviceMs });
    };
    return { spent: { principal: this.principal, buildMs, deviceMs }, told };
  }
  setHour(hour: { buildMs: number; deviceMs: number; buildRoomInMs: number | null; deviceRoomInMs: number | null }): void {
    this.#hour = hour;
    this.isRead = true;
  }

  #refuse(has: string, flag: string, limit: number | string, hint: string): never {
    throw new FarmError("RESOURCE_EXHAUSTED", `${this.principal} ${has}; ${flag} of this tracker allows ${limit}: ${hint}`);
  }
}

const nothingSpent = { buildMs: 0, deviceMs: 0, buildRoomInMs: null, deviceRoomInMs: null };

export class Quotas {
  readonly limits: QuotaLimits;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account>();
  #reading: Promise<void> | undefined;
  #sumsAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, limits: QuotaLimits, clock: Clock) {
    this.#db = db;
    this.limits = limits;
    this.#clock = clock;
  }

  accountOf(principal: string): Account | undefined {
    if (principal === "local") return undefined;
    const account = this.#accounts.get(principal) ?? new Account(principal, this.limits);
    this.#accounts.set(principal, account);
    return account;
  }

  /**
   * Checks before a session opens or continues. Throws RESOURCE_EXHAUSTED, or INVALID_ARGUMENT for what waiting does not solve.
   */
  async checkSession(principal: string, { buildTimeoutMs }: { readonly buildTimeoutMs: number }): Promise<void> {
    const { maxBuildTimeoutMs } = this.limits;
    if (buildTimeoutMs > maxBuildTimeoutMs)
      throw badInput(
        `options.build_timeout is ${buildTimeoutMs / 1000} s; allowed: at most ${maxBuildTimeoutMs / 1000} s, --quota build_timeout of this tracker`,
      );
    const account = this.accountOf(principal);
    if (account && !account.isRead) await this.#sums();
    account?.checkUse();
  }

  async refresh(): Promise<void> {
    await this.#tell();
    if (this.#accounts.size === 0) return;
    const answers = [...this.#accounts.values()].map((account) => ({ account, set: account.askOutstanding() }));
    const rows = new Map((await outstandingByPrincipal(this.#db.lazy)).map((row) => [row.principal, row]));
    for (const { account, set } of answers) set(rows.get(account.principal));
    if (this.#clock.monotonic() - this.#sumsAt > sumsEveryMs) await this.#sums();
  }

  async #tell(): Promise<void> {
    const tellings = [...this.#accounts.values()].map((a) => a.tell()).filter(({ spent: s }) => s.buildMs + s.deviceMs > 0);
    await addSpent(
      this.#db.lazy,
      tellings.map(({ spent }) => spent),
    );
    for (const { told } of tellings) told();
  }

  /** One query at a time. Callers that come while it runs share its answer. */
  #sums(): Promise<void> {
    this.#reading ??= this.#readSums().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readSums(): Promise<void> {
    const asked = this.#clock.monotonic();
    const answers = [...this.#accounts.values()].map((account) => ({ account, set: account.askKept() }));
    const { maxBuildMs, maxDeviceMs } = this.limits;
    const finite = (ms: number) => (Number.isFinite(ms) ? ms : null);
    const spent = await spentByPrincipal(this.#db.lazy, { buildMs: finite(maxBuildMs), deviceMs: finite(maxDeviceMs) });
    const kept = new Map((await keptByPrincipal(this.#db.lazy)).map((row) => [row.principal, row]));
    const hours = new Map(spent.map((row) => [row.principal, row]));
    for (const { account, set } of answers) {
      set(kept.get(account.principal));
      account.setHour(hours.get(account.principal) ?? nothingSpent);
    }
    this.#sumsAt = asked;
  }
}
