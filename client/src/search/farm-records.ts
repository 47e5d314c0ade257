/**
 * Records of the farm with which a search begins by default: those of the same template, or of the same text and spec of a user's
 * kernel, for all shapes and devices that apply to this space, measured here or imported. Of others' records they are those that
 * a builder verified or an admin shared. `--transfer none` leaves them out.
 */
import { anySignal, type Clock, canonicalJson, countWords, deadlineSignal, defined, type Json } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import type { RecordStore, TuningRecord } from "@warpfarm/records";
import { isTemplateFile, isTemplateTask, type Task } from "@warpfarm/templates";
import { type TunerName, usesRecords } from "../tuner/index.ts";
import { resultsIn, shareSourcesOf } from "../tuner/known-records.ts";
import type { ShareSource } from "../tuner/tuner.ts";
import { shippedWords, withoutShipped } from "./shipped.ts";

/** The most records, the newest ones. A start needs no more, and they travel over the wire. */
const mostRecords = 4_000;
const page = 1_000;
const patienceMs = 20_000;
const freshMs = 60_000;

interface Asked {
  readonly at: number;
  readonly records: Promise<readonly TuningRecord[]>;
}

/** Receives messages about the records found. */
export interface SaysRecords {
  /** Why a tracker cannot answer. The search then has no records. */
  warn(message: string): void;
  /** The records of a task. `waiting`: others that wait for verification. */
  found(task: string, records: readonly TuningRecord[], waiting: number): void;
}

/** Many searches of one template, as in a suite, ask once a minute. */
export class FarmRecords {
  readonly #store: Pick<RecordStore, "query">;
  readonly #clock: Clock;
  readonly #says: SaysRecords;
  readonly #asked = new Map<string, Asked>();

  constructor(store: Pick<RecordStore, "query">, clock: Clock, says: SaysRecords) {
    this.#store = store;
    this.#clock = clock;
    this.#says = says;
  }

  async of(task: Task, tuner: string, signal: AbortSignal): Promise<readonly ShareSource[]> {
    if (!usesRecords.some((name) => name === tuner)) return [];
    const now = this.#clock.monotonic();
    const known = this.#asked.get(task.name);
    const asked = known && now - known.at < freshMs ? known : { at: now, records: this.#ask(task.name, signal) };
    this.#asked.set(task.name, asked);
    const records = await asked.records;
    if (isTemplateTask(task)) {
      // A built-in template's values may have had another meaning, and have one in files of other tuners. Of a user's file any
      // edit is a version.
      const isOf = ({ template, templateVersion }: TuningRecord): boolean =>
        isTemplateFile(task.word) || (template !== undefined && templateVersion === task.version);
      return shareSourcesOf(task.space, records.filter(isOf), true);
    }
    // Any kernel may have that name. The second argument is the digest of its text and spec.
    const [, digest] = task.args;
    return shareSourcesOf(
      task.space,
      records.filter(({ args }) => args[1] === digest),
    );
  }

  async #ask(task: string, signal: AbortSignal): Promise<readonly TuningRecord[]> {
    const found: TuningRecord[] = [];
    let others = 0;
    const waiting = (records: number) => {
      others = records;
    };
    const within = anySignal(signal, deadlineSignal(this.#clock, patienceMs, "reading the farm's records"));
    try {
      for (let cursor: string | undefined; found.length < mostRecords; ) {
        const asked = { task, believed: true, limit: page, ...defined({ cursor }) } as const;
        const { records, next } = await this.#store.query(asked, { signal: within, waiting });
        found.push(...records);
        if (next === undefined) break;
        cursor = next;
      }
      this.#says.found(task, found, others);
      return found;
    } catch (error) {
      signal.throwIfAborted();
      this.#says.warn(`the farm's records cannot be read (${(error as Error).message}); the search begins without them`);
      return [];
    }
  }
}

/** What a search begins with: results of others, and the configs that its template names and results of its shape lack. */
export interface Beginning {
  readonly sources: readonly ShareSource[];
  readonly starts: readonly ConfigIndex[];
  /** What the template names besides and the space lacks; absent in a search that is continued. */
  readonly strange?: readonly string[];
}

export function beginningOf(sources: readonly ShareSource[], task: Task, tuner: TunerName): Beginning {
  if (!usesRecords.includes(tuner)) return { sources, starts: [] };
  const own = canonicalJson(task.args as Json[]);
  const ofShape = sources.filter(({ of }) => of !== undefined && canonicalJson(of.args) === own);
  // What the shape's results have says more than an estimate, failures and those of other devices too. What they lack a template
  // may have learnt since.
  const known = new Set(ofShape.flatMap(({ rows }) => rows.map(({ index }) => index)));
  const starts = (task.starts ?? []).filter((index) => !known.has(index));
  // The lists of our own templates are for many shapes, and not all of them have every config.
  const strange = isTemplateFile(task.word) ? task.strangeStarts : undefined;
  return { sources, starts, ...defined({ strange }) };
}

/** Undefined where nothing is known. */
export function beginningWords({ sources, starts, strange = [] }: Beginning, task: string): string | undefined {
  const left = strange.length > 0 ? `; left out: ${strange.join("; ")}` : "";
  const named = starts.length + strange.length > 0 ? `${countWords(starts.length, "config")} that ${task} names` : undefined;
  const words =
    sources.length > 0 ? warmStartWords(sources, named) : named && `begins with ${named} (--transfer none skips them)`;
  return words && `${words}${left}`;
}

export function warmStartWords(sources: readonly ShareSource[], named?: string): string {
  const beside = named === undefined ? "" : `, and with ${named}`;
  const shipped = shippedWords(sources);
  const own = withoutShipped(sources);
  if (own.length === 0) return `begins with ${shipped}${beside} (--transfer none skips them)`;
  const names = own.slice(0, 3).map(({ name }) => name);
  const more = own.length > 3 ? ` and ${own.length - 3} more` : "";
  const besides = shipped === undefined ? "" : `, and ${shipped}`;
  return `warm start: ${resultsIn(own)} results of the farm's records, of ${names.join("; ")}${more}${besides}${beside} (--transfer none skips them)`;
}
