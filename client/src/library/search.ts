/** A search of a program: its spec, its events and its end. */
import { resolve } from "node:path";
import { anySignal, backendOf, FarmError } from "@warpfarm/common";
import { readSearchSpec } from "@warpfarm/records/search";
import { fittingTarget } from "@warpfarm/templates";
import { beginSearch } from "../search/begin-search.ts";
import { backendThere, chooseKey, type FarmThere, keysWhere } from "../search/farm-there.ts";
import { type OpenSearch, openSearch as openOnFarm } from "../search/open-search.ts";
import { checkBuilders } from "../search/reach.ts";
import { readStartLogs } from "../search/search-inputs.ts";
import { type SearchSpec, wholeSpec } from "../search/search-spec.ts";
import { findSearch, type TaskSource } from "../search/task-source.ts";
import type { TuneEvent, TuneSummary } from "../search/tune-events.ts";
import { searchIn } from "../search/tuning-log.ts";
import { type OpenFarm, opened } from "./farm.ts";
import type { Farm, Search, SearchAsked, SearchOptions } from "./index.ts";
import { heeding, stopped } from "./stopped.ts";
import { sourceNamed } from "./task.ts";

type Begun = Pick<Parameters<typeof openOnFarm>[2], "task" | "paths" | "sources" | "logPath" | "resume"> & {
  readonly spec: Parameters<typeof openOnFarm>[1];
};

export async function openSearch(of: Farm, asked: SearchAsked | string, options: SearchOptions): Promise<Search> {
  const farm = opened(of);
  const { onNotice: say = farm.notice } = options;
  const left = new AbortController();
  const signal = anySignal(farm.signalWith(options.signal), left.signal);
  return heeding("the search", signal, async () => {
    const begun = await (typeof asked === "string" ? continued : begin)(farm, asked as never, { ...options, say, signal });
    const { spec, ...rest } = begun;
    const there = await farm.look(signal);
    checkBuilders({ ...there, channel: farm.channel, embedded: farm.embedded }, spec.target, say);
    const place = farm.place(there, signal);
    return new RunningSearch(await openOnFarm(place, spec, { ...rest, cwd: process.cwd(), say, signal }), signal, left);
  });
}

interface Asking extends SearchOptions {
  readonly say: (message: string) => void;
  readonly signal: AbortSignal;
}

async function begin(farm: OpenFarm, asked: SearchAsked, { log, say, signal }: Asking): Promise<Begun> {
  const cwd = process.cwd();
  const { task: _, spec: specFile, start, ...fields } = asked;
  const source = await sourceNamed(asked);
  const logs = typeof start === "object" ? start.logs : [];
  const said = { ...fields, ...(typeof start === "string" ? { start } : {}) };
  // Refuses wrong fields before anything is asked of the farm. The task's own name follows.
  const { version: _of, task: _named, ...read } = readSearchSpec({ version: 1, task: { template: source.name }, ...said });
  const begun = await beginSearch(source, { asked: read, logs, words: { spec: specFile }, cwd, say });
  const { key, target } = placeOf(await farm.look(signal), source, asked);
  return { ...begun(key, target), ...(log === undefined ? {} : { logPath: resolve(cwd, log) }) };
}

async function continued(farm: OpenFarm, log: string, { budget, say, signal }: Asking): Promise<Begun> {
  const cwd = process.cwd();
  const logPath = resolve(cwd, log);
  const kept = await searchIn(logPath);
  const { source, task, paths } = await findSearch(kept, [], { cwd });
  const { sources } = await readStartLogs(paths.logs ?? [], source, { cwd, say });
  const { where, key: asked } = kept.spec;
  const keys = keysWhere(await farm.look(signal), where);
  const key = chooseKey(keys, backendOf(asked ?? task.target), asked);
  const goesOn = readSearchSpec({ ...kept.spec, budget: { ...kept.spec.budget, ...budget } });
  return { spec: wholeSpec(goesOn, task, key), task, paths, sources, logPath, resume: true };
}

/** Without a target, the task's first backend of which the farm has a device. */
export function placeOf(
  there: FarmThere,
  { targets }: Pick<TaskSource, "targets">,
  { target, where, key: asked }: Pick<SearchSpec, "target" | "where" | "key">,
): { readonly key: string; readonly target: string } {
  const keys = keysWhere(there, where);
  const backend = target === undefined ? backendThere(targets, keys) : backendOf(target);
  const key = chooseKey(keys, backend, asked ?? target);
  return { key, target: target ?? fittingTarget(targets, key) };
}

export class RunningSearch implements Search {
  readonly #search: OpenSearch;
  readonly #signal: AbortSignal;
  readonly #left: AbortController;
  readonly #result: Promise<TuneSummary>;
  #settle!: { readonly resolve: (summary: TuneSummary) => void; readonly reject: (error: unknown) => void };
  #isBegun = false;
  #drained: Promise<void> | undefined;

  constructor(search: OpenSearch, signal: AbortSignal, left: AbortController) {
    this.#search = search;
    this.#signal = signal;
    this.#left = left;
    this.#result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Its reader gets the error there.
    this.#result.catch(() => {});
  }

  get spec(): SearchSpec {
    return this.#search.spec;
  }
  get result(): Promise<TuneSummary> {
    if (!this.#isBegun) this.#drained = this.#drain();
    return this.#result;
  }

  async #drain(): Promise<void> {
    try {
      for await (const _ of this);
    } catch {
      // It is the result's.
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TuneEvent, void, undefined> {
    if (this.#isBegun) throw new FarmError("FAILED_PRECONDITION", "the search runs already, and its events are read once");
    this.#isBegun = true;
    try {
      let summary: TuneSummary | undefined;
      for await (const event of this.#events()) {
        if (event.kind === "finished") summary = event.summary;
        yield event;
      }
      if (summary === undefined || summary.reason === "aborted") throw stopped("the search", this.#signal);
      this.#settle.resolve(summary);
    } catch (error) {
      this.#settle.reject(error);
      throw error;
    } finally {
      // Settled above unless the loop over it was left.
      this.#settle.reject(new FarmError("CANCELLED", "the search was left before its end"));
    }
  }

  async *#events(): AsyncGenerator<TuneEvent, void, undefined> {
    if (this.#signal.aborted) throw stopped("the search", this.#signal);
    try {
      yield* this.#search.events();
    } catch (error) {
      throw this.#signal.aborted ? stopped("the search", this.#signal) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new FarmError("CANCELLED", "the search was closed before its end");
    this.#isBegun = true;
    this.#left.abort(closed);
    this.#settle.reject(closed);
    await this.#drained;
    await this.#search[Symbol.asyncDispose]();
  }
}
