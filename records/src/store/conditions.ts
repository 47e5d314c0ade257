import { shortNameOf } from "@warpfarm/common";
import type { RecordFilter } from "../store.ts";
import { keyOf, problemOf } from "../tuning-record.ts";
import { slowerNo } from "./rows.ts";
import type { SqlParam } from "./sql.ts";

/** An impossible time has neither seconds nor a number of an error. */
export const outcomeIs = { timed: "seconds is not null", slower: `error_no = ${slowerNo}`, failed: "error_no > 0" } as const;

export class Conditions {
  readonly params: SqlParam[] = [];
  readonly #all: string[] = [];
  readonly #ofColumn = new Map<string, string>();

  constructor(f: RecordFilter) {
    this.#is("task", f.task);
    if (f.task !== undefined && f.args !== undefined) this.#is("problem", problemOf({ task: f.task, args: f.args }));
    this.#is("template", f.template);
    this.#is("device_key", f.device);
    this.#is("device_name", f.deviceName);
    this.#is("target", f.target);
    this.#is("session", f.session);
    if (f.session !== undefined) this.add("session <> ''");
    this.#is("owner", f.by);
    this.#is("kernel", f.program && shortNameOf(f.program));
    if (f.outcome !== undefined) this.add(outcomeIs[f.outcome]);
    if (f.origin !== undefined) this.#is("imported", f.origin === "imported");
    if (f.ids !== undefined) this.add(`key = any(${this.param(f.ids.map((id) => keyOf({ id })))}::text[]::uuid[])`);
    if (f.sinceMs !== undefined) this.add(`at >= ${this.param(f.sinceMs)}`);
    if (f.untilMs !== undefined) this.add(`at < ${this.param(f.untilMs)}`);
  }

  add(condition: string): void {
    this.#all.push(condition);
  }
  param(value: SqlParam): string {
    return `$${this.params.push(value)}`;
  }
  conditionOf(column: string): string | undefined {
    return this.#ofColumn.get(column);
  }
  and(condition: string): string {
    return `where ${[...this.#all, condition].join(" and ")}`;
  }
  toString(): string {
    return this.#all.length === 0 ? "" : `where ${this.#all.join(" and ")}`;
  }
  #is(column: string, value: SqlParam | undefined): void {
    if (value === undefined) return;
    const condition = `${column} = ${this.param(value)}`;
    this.#ofColumn.set(column, condition);
    this.add(condition);
  }
}
