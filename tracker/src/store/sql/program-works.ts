/** The work of programs in each run (common/src/plausible-time.ts), from their documents. */
import { type LeaseId, leastOfOthers, type Work } from "@warpfarm/common";
import { workOfProgram } from "@warpfarm/proto";
import type { PackedRecord } from "@warpfarm/records";
import type { Queryable } from "../database.ts";

interface LeasedRow {
  readonly lease: LeaseId;
  readonly programs: readonly string[];
  readonly reference: string | null;
}

/** The most works in memory, by program; null: it has none. */
const keepAtMost = 20_000;

export class ProgramWorks {
  readonly #known = new Map<string, Work | null>();

  /**
   * For each lease of a run: the work of its program, and of those measured interleaved with it. A program without a graph
   * (source text, a cubin) agrees with the output of its reference's graph, and may need fewer operations.
   */
  async ofLeases(db: Queryable, leases: readonly LeaseId[]): Promise<ReadonlyMap<LeaseId, readonly (Work | undefined)[]>> {
    if (leases.length === 0) return new Map();
    const rows = await db.query<LeasedRow>(
      `select l.lease_id as lease, array_prepend(r.program, r.others) as programs, r.reference
       from leases l join requests r on r.session_id = l.session_id and r.sequence = l.sequence where l.lease_id = any($1::text[])`,
      [leases],
    );
    const works = await this.of(
      db,
      new Set(rows.flatMap((r) => [...r.programs, ...(r.reference === null ? [] : [r.reference])])),
    );
    return new Map(
      rows.map(({ lease, programs, reference }) => {
        const agreed = reference === null ? undefined : works.get(reference);
        return [lease, programs.map((program) => works.get(program) ?? (agreed && leastOfOthers(agreed)))];
      }),
    );
  }

  /** Keeps records with impossible times of known programs from others and from the best. */
  async bound(db: Queryable, records: readonly PackedRecord[]): Promise<readonly PackedRecord[]> {
    const programs = new Set(records.flatMap(({ measured }) => measured?.program ?? []));
    const works = programs.size === 0 ? new Map<string, Work>() : await this.of(db, programs);
    return records.map((record) => {
      const work = record.measured && works.get(record.measured.program);
      return work ? record.boundBy(work) : record;
    });
  }

  /** Undefined for a program without a graph, and for one that the store does not have. */
  async of(db: Queryable, programs: ReadonlySet<string>): Promise<ReadonlyMap<string, Work | undefined>> {
    const asked = [...programs].filter((program) => !this.#known.has(program));
    const rows =
      asked.length === 0
        ? []
        : await db.query<{ digest: string; bytes: Uint8Array }>(
            "select digest, bytes from programs where digest = any($1::text[])",
            [asked],
          );
    const works = new Map([...programs].map((program) => [program, this.#known.get(program) ?? undefined]));
    if (this.#known.size + rows.length > keepAtMost) this.#known.clear();
    for (const { digest, bytes } of rows) {
      const work = workOfProgram(JSON.parse(Buffer.from(bytes).toString()));
      this.#known.set(digest, work ?? null);
      works.set(digest, work);
    }
    return works;
  }
}
