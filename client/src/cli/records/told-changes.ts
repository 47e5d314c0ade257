/** `records import --task --args --device --device-name`: which records they changed, and which existed without them. */
import { countWords } from "@warpfarm/common";
import type { RecordStore, Told, TuningRecord } from "@warpfarm/records";

type ToldFlags = Omit<Told, "problem">;

const fields = [
  ["task", "--task", ({ task }) => task],
  ["args", "--args", ({ args }) => JSON.stringify(args)],
  ["device", "--device", ({ device }) => device?.key ?? ""],
  ["deviceName", "--device-name", ({ device }) => device?.name ?? ""],
] as const satisfies readonly (readonly [keyof ToldFlags, string, (record: TuningRecord) => string])[];

const atOnce = 1_000;

export class ToldChanges {
  readonly #flags: ToldFlags;
  readonly #had = new Map<string, Map<string, number>>();
  readonly #ids: string[] = [];
  constructor(flags: ToldFlags) {
    this.#flags = flags;
  }

  add(asFiled: TuningRecord, record: TuningRecord): void {
    this.#ids.push(asFiled.id);
    for (const [field, flag, of] of fields) {
      if (this.#flags[field] === undefined || of(asFiled) === of(record)) continue;
      const had = this.#had.get(flag) ?? new Map<string, number>();
      this.#had.set(flag, had.set(of(asFiled), (had.get(of(asFiled)) ?? 0) + 1));
    }
  }

  /** One line for each flag that changed something, and one for records that an earlier import brought without the flags. */
  async words(store: Pick<RecordStore, "query">): Promise<readonly string[]> {
    const lines = [...this.#had].map(([flag, had]) => {
      const parts = [...had].map(
        ([value, count]) => `${countWords(count, "record")} of ${value === "" ? "no" : JSON.stringify(value)}`,
      );
      return `${flag} changed ${parts.slice(0, 3).join(", ")}${parts.length > 3 ? `, and those of ${parts.length - 3} more` : ""}`;
    });
    let there = 0;
    for (let at = 0; at < this.#ids.length; at += atOnce) {
      const ids = [...new Set(this.#ids.slice(at, at + atOnce))];
      there += (await store.query({ ids, limit: atOnce })).records.length;
    }
    if (there > 0)
      lines.push(
        `${countWords(there, "record")} of an earlier import without ${[...this.#had.keys()].join(", ")} stay beside them`,
      );
    return lines;
  }
}
