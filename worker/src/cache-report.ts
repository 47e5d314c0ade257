/**
 * What was added to a worker's cache and dropped from it since the tracker was last told. The latest change of an artifact
 * counts.
 */
import type { SyncRequest } from "@warpfarm/proto";

export interface CacheChanges {
  readonly added: SyncRequest["cacheAdded"];
  readonly dropped: SyncRequest["cacheDropped"];
}

type Digest = CacheChanges["added"][number];

export class CacheReport {
  readonly #added = new Set<Digest>();
  readonly #dropped = new Set<Digest>();

  collect(changes: CacheChanges | undefined): void {
    for (const digest of changes?.added ?? []) {
      this.#added.add(digest);
      this.#dropped.delete(digest);
    }
    for (const digest of changes?.dropped ?? []) {
      this.#dropped.add(digest);
      this.#added.delete(digest);
    }
  }

  untold(): CacheChanges {
    return { added: [...this.#added], dropped: [...this.#dropped] };
  }

  told({ added, dropped }: CacheChanges): void {
    for (const digest of added) this.#added.delete(digest);
    for (const digest of dropped) this.#dropped.delete(digest);
  }
}
