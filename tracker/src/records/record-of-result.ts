import type { Json, MeasureResult } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import { entityFromJson, measuredFields, type RecordSearch, type TuningRecord } from "@warpfarm/records";
import { saidOfRecords } from "@warpfarm/records/search";
import { decodeResult } from "../store/result-bytes.ts";
import { sessionOf, type Unrecorded } from "../store/sql/unrecorded.ts";

interface RecordSources {
  /** By digest: a program's document has its trace, a manifest's its toolchain. */
  readonly programs: ReadonlyMap<string, Json>;
  readonly manifests: ReadonlyMap<string, Json>;
  /** The digest of the computation of the program with this digest (computationOf). */
  readonly computation: (digest: string, args: readonly Json[]) => string;
  /** The work of the program with this digest; absent where nobody asks. */
  readonly operations?: (digest: string) => number | undefined;
  /** The label `use` of the runner on that node; undefined when it has none or is gone. */
  readonly sharingOf: (node: string) => string | undefined;
}

/** A longer trace is left out, because there are many records. */
const mostTrace = 16 * 1024;

export function recordsOf(row: Unrecorded, sources: RecordSources): readonly TuningRecord[] {
  const result = decodeResult(row.result);
  if (result.kind === "timed" && result.paired) {
    const { paired, ...first } = result;
    const run = `${row.id}/${row.sequence}`;
    return paired.map((timing, i) => {
      const program = i === 0 ? row.program : (row.others[i - 1] as string);
      const record = recordOf({ ...row, program, proposal: null }, `/${i + 1}`, { ...first, ...timing }, sources);
      return { ...record, interleaved: { run, place: i + 1, of: paired.length } };
    });
  }
  const which = result.kind === "failed" && result.failedProgram ? row.others[result.failedProgram - 1] : undefined;
  return [recordOf({ ...row, program: which ?? row.program }, "", result, sources)];
}

function recordOf(row: Unrecorded, suffix: string, result: MeasureResult, sources: RecordSources): TuningRecord {
  // No reader of records takes it, and one such record would end the reading of all.
  if (result.kind === "timed" && !result.costs.every((seconds) => seconds > 0)) throw new RangeError("a time of 0 s");
  const { task, principal, options, labels, provenance, keep } = sessionOf(row);
  const { search: spec, defaultSeconds, librarySeconds, space } = provenance;
  const said: Partial<ReturnType<typeof saidOfRecords>> = spec === undefined ? {} : saidOfRecords(spec);
  const { tuner, seed, trials, args = [], template, templateVersion } = said;
  const proposal =
    row.proposal === null ? undefined : (JSON.parse(row.proposal) as { config: string; trial: number; told: number });
  const entity = proposal && entityFromJson(proposal.config);
  const reference = row.reference ?? undefined;
  const computed = reference ?? row.program;
  const trace = field(sources.programs.get(row.program), "trace");
  const { device, ...fields } = measuredFields(result);
  const sharing = device?.node === undefined ? undefined : sources.sharingOf(device.node);
  // The manifest's goes first: the result's is that of the first of several programs, and older runners tell none.
  const ofArtifact = fields.artifact === undefined ? undefined : field(sources.manifests.get(fields.artifact), "toolchain");
  const search: RecordSearch = defined({
    tuner,
    seed,
    trials,
    sequence: proposal?.trial,
    told: proposal?.told,
    defaultSeconds,
    librarySeconds,
  });
  return {
    id: `${row.id}/${row.sequence}${suffix}`,
    origin: { kind: "measured", by: principal },
    task: said.task ?? task,
    args,
    ...defined({ template, templateVersion, space }),
    ...(entity === undefined ? {} : { config: { code_hash: null, entity } }),
    ...(Object.keys(search).length === 0 ? {} : { search }),
    ...(trace !== undefined && JSON.stringify(trace).length <= mostTrace ? { trace } : {}),
    program: row.program,
    ...defined({ reference }),
    computation: sources.computation(computed, args),
    ...defined({ operations: sources.operations?.(computed) }),
    target: row.target,
    ...(device === undefined ? {} : { device: { ...device, ...defined({ sharing }) } }),
    options,
    ...fields,
    ...(typeof ofArtifact === "string" ? { toolchain: ofArtifact } : {}),
    session: row.id,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(keep === 1 ? { private: true } : {}),
  };
}

function field(document: Json | undefined, name: string): Json | undefined {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return undefined;
  return (document as { readonly [name: string]: Json })[name];
}
