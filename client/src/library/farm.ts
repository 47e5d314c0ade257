/** The farm of a program: one at an address, or an embedded one on this machine, which ends when it is disposed. */
import { homedir } from "node:os";
import { anySignal, badInput, type Clock, defined, FarmError, type NewId } from "@warpfarm/common";
import type { ChannelOptions, TrackerConnection } from "@warpfarm/proto";
import type { RecordStore } from "@warpfarm/records";
import type { CliContext, EmbeddedFarm } from "../cli/context.ts";
import { addresses, device as deviceNamed } from "../cli/flags/parse.ts";
import { readSettings } from "../cli/flags/settings.ts";
import { makeDirectory } from "../cli/make-directory.ts";
import type { FarmDevice } from "../search/farm-device.ts";
import { FarmRecords } from "../search/farm-records.ts";
import { type FarmThere, whoIsThere } from "../search/farm-there.ts";
import type { SearchFarm } from "../search/open-search.ts";
import { lookAt } from "../search/reach.ts";
import { reaching } from "../search/reaching.ts";
import { recordsOf } from "../search/records-of.ts";
import type { CallOptions, Farm, FarmOptions } from "./index.ts";
import { heeding } from "./stopped.ts";

/** What only the composition root can do: start a farm's processes, compile, name this machine's processor. */
export type Machine = Pick<CliContext, "startFarm" | "buildHere" | "hostKey">;

/** The environment of a program's library. */
export interface Outside {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly machine: () => Promise<Machine>;
}

export class OpenFarm implements Farm {
  readonly channel: ChannelOptions;
  readonly embedded: EmbeddedFarm | undefined;
  readonly tracker: TrackerConnection;
  readonly notice: (message: string) => void;
  readonly #outside: Outside;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    outside: Outside,
    { channel, embedded, tracker }: Pick<OpenFarm, "channel" | "embedded" | "tracker">,
    { signal, onNotice = () => {} }: FarmOptions,
  ) {
    this.#outside = outside;
    this.channel = channel;
    this.embedded = embedded;
    this.tracker = tracker;
    this.notice = onNotice;
    this.#signal = anySignal(signal, embedded?.lost, this.#closed.signal);
  }

  get address(): string {
    return this.channel.address;
  }
  get page(): string | undefined {
    return this.embedded?.page;
  }

  /** A signal for work on the farm. Throws when the farm is closed or lost. */
  signalWith(signal: AbortSignal | undefined): AbortSignal {
    if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
    return anySignal(signal, this.#signal);
  }

  async devices({ signal }: CallOptions = {}): Promise<readonly FarmDevice[]> {
    const within = this.signalWith(signal);
    return heeding("devices", within, async () => (await this.look(within)).devices);
  }

  async look(signal: AbortSignal): Promise<FarmThere> {
    return whoIsThere(await reaching(this.address, this.tracker.farm.listNodes({ signal })));
  }

  records(signal: AbortSignal): Pick<RecordStore, "query" | "best"> {
    return recordsOf({ clock: this.#outside.clock, signal, warn: this.notice }, this.embedded, this.tracker);
  }

  place(there: FarmThere, signal: AbortSignal): SearchFarm {
    const { clock, newId } = this.#outside;
    const says = { warn: this.notice, found: () => {} };
    return {
      tracker: this.tracker,
      there: () => there,
      records: new FarmRecords(this.records(signal), clock, says),
      clock,
      session: newId(),
      onLost: ({ message }) => this.notice(`lost the tracker (${message}); trying again`),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new FarmError("FAILED_PRECONDITION", `the farm at ${this.address} is closed; openFarm opens another`));
    await this.tracker[Symbol.asyncDispose]();
    await this.tracker.tracing?.[Symbol.asyncDispose]();
    await this.embedded?.[Symbol.asyncDispose]();
  }
}

export function opened(farm: Farm): OpenFarm {
  if (farm instanceof OpenFarm) return farm;
  throw badInput("the farm is no farm of openFarm; give what await openFarm() returns");
}

export async function openFarm(outside: Outside, options: FarmOptions): Promise<Farm> {
  const { signal = new AbortController().signal, address, token, tls } = options;
  return heeding("openFarm", signal, async () => {
    const { connect, openTracing } = await import("@warpfarm/proto");
    const tracing = await openTracing(process.env, "warpfarm-client", (sentence) => options.onNotice?.(sentence));
    if (address !== undefined) {
      addresses("address")(address);
      if (options.device !== undefined)
        throw badInput(`device is of this machine, and address is ${JSON.stringify(address)}; give one`);
      const pem = (text: string | undefined) => text && Buffer.from(text);
      const keys = tls && defined({ ca: pem(tls.ca), cert: pem(tls.cert), key: pem(tls.key) });
      const channel = { address, ...defined({ token, tls: keys as ChannelOptions["tls"], tracing }) };
      await lookAt(channel, signal);
      return new OpenFarm(outside, { channel, embedded: undefined, tracker: connect(channel) }, options);
    }
    const embedded = await startEmbedded(await outside.machine(), options, signal);
    const channel = { address: embedded.address, tracing };
    return new OpenFarm(outside, { channel, embedded, tracker: connect(channel) }, options);
  });
}

async function startEmbedded({ startFarm }: Machine, options: FarmOptions, signal: AbortSignal): Promise<EmbeddedFarm> {
  const { env } = process;
  const usual = await readSettings({ env, cwd: process.cwd(), home: homedir() });
  const { device = "auto", dataDir = usual.dataDir, cacheDir = usual.cacheDir, onNotice: notice = () => {} } = options;
  if (device !== "auto") deviceNamed("device")(device);
  await makeDirectory(options.dataDir === undefined ? "data" : "dataDir", dataDir);
  await makeDirectory(options.cacheDir === undefined ? "cache" : "cacheDir", cacheDir);
  return startFarm({ device, dataDir, cacheDir, signal, notice });
}
