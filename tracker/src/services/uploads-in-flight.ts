/**
 * Limits the memory of incomplete uploads: their number and their bytes, for all callers together. A named principal may use half
 * of each, and all clients together three quarters, so that builders and admins have the rest. An upload that never ends is
 * ended.
 */
import { after, type Clock, FarmError } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";
import { megabytes } from "../store/megabytes.ts";
import type { Limits } from "./context.ts";

type UploadLimits = Pick<Limits, "maxUploads" | "maxUploadBytes" | "uploadMs">;

interface Held {
  uploads: number;
  bytes: number;
}

/** One upload. It accounts for its bytes and releases them at its end. Throws RESOURCE_EXHAUSTED. */
export interface UploadInFlight extends Disposable {
  add(bytes: number): void;
  readonly signal: AbortSignal;
}

export class UploadsInFlight {
  readonly #limits: UploadLimits;
  readonly #clock: Clock;
  readonly #all: Held = { uploads: 0, bytes: 0 };
  readonly #ofClients: Held = { uploads: 0, bytes: 0 };
  readonly #own = new Map<string, Held>();

  constructor(limits: UploadLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  begin(principal: Principal): UploadInFlight {
    const { maxUploads, maxUploadBytes, uploadMs } = this.#limits;
    const { name, role } = principal;
    const own = this.#own.get(name) ?? { uploads: 0, bytes: 0 };
    const isOne = role === "all"; // everybody: the tracker's own limits are enough
    const ownUploads = isOne ? maxUploads : Math.ceil(maxUploads / 2);
    const ownBytes = isOne ? maxUploadBytes : Math.ceil(maxUploadBytes / 2);
    if (this.#all.uploads >= maxUploads)
      refuse(`${this.#all.uploads} uploads are running`, `--quota uploads=${maxUploads}`, `${maxUploads} in all`);
    if (own.uploads >= ownUploads)
      refuse(`${name} has ${own.uploads} uploads running`, `--quota uploads=${maxUploads}`, `${ownUploads} to one principal`);
    const clients = role === "client" ? this.#ofClients : undefined;
    const clientsUploads = Math.ceil((3 * maxUploads) / 4);
    const clientsBytes = Math.ceil((3 * maxUploadBytes) / 4);
    if (clients && clients.uploads >= clientsUploads)
      refuse(`clients have ${clients.uploads} uploads running`, `--quota uploads=${maxUploads}`, `${clientsUploads} to clients`);
    const held = clients ? [own, clients, this.#all] : [own, this.#all];
    this.#own.set(name, own);
    for (const h of held) h.uploads++;
    const late = new AbortController();
    const timer = after(this.#clock, uploadMs, () =>
      late.abort(new FarmError("DEADLINE_EXCEEDED", `the upload was not complete after ${uploadMs / 1000} s`)),
    );
    let bytes = 0;
    let isOver = false;
    return {
      signal: late.signal,
      add: (more) => {
        if (isOver) throw new FarmError("CANCELLED", "the upload is over");
        const flag = `--quota upload_mb=${maxUploadBytes / 2 ** 20}`;
        if (this.#all.bytes + more > maxUploadBytes)
          refuse(`uploads hold ${megabytes(this.#all.bytes)} of memory`, flag, `${megabytes(maxUploadBytes)} in all`);
        if (own.bytes + more > ownBytes)
          refuse(`uploads of ${name} hold ${megabytes(own.bytes)} of memory`, flag, `${megabytes(ownBytes)} to one principal`);
        if (clients && clients.bytes + more > clientsBytes)
          refuse(`uploads of clients hold ${megabytes(clients.bytes)} of memory`, flag, `${megabytes(clientsBytes)} to clients`);
        bytes += more;
        for (const h of held) h.bytes += more;
      },
      [Symbol.dispose]: () => {
        isOver = true;
        timer[Symbol.dispose]();
        for (const h of held) {
          h.uploads--;
          h.bytes -= bytes;
        }
        if (own.uploads === 0) this.#own.delete(name);
      },
    };
  }
}

function refuse(has: string, flag: string, allowed: string): never {
  throw new FarmError("RESOURCE_EXHAUSTED", `${has}; ${flag} of this tracker allows ${allowed}: try again when some have ended`);
}
