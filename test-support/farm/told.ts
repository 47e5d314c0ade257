/** What a session tells of its search, in the words of the records that come of it. */
import { defined, isDigest, type Json } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";

export interface Told extends Pick<Provenance, "space" | "defaultSeconds" | "librarySeconds"> {
  readonly task?: string;
  /** A digest is that of a user's file. */
  readonly templateVersion?: string;
  readonly args?: readonly Json[];
  readonly tuner?: string;
  readonly seed?: number;
  readonly trials?: number;
}

export function provenanceTold({ task: name = "a task", templateVersion: version, trials, ...told }: Told): Provenance {
  const { args, tuner, seed, ...times } = told;
  const named =
    version === undefined
      ? { template: name }
      : isDigest(version)
        ? { file: "mine.ts", digest: version, name }
        : { template: name, version };
  const fields = defined({ args: args && [...args], tuner, seed, budget: trials === undefined ? undefined : { trials } });
  return { search: { version: 1, task: named, ...fields }, ...times };
}
