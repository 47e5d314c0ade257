/**
 * Statements whose parameters have names. A statement says what it is given: rows, whose columns travel as arrays that `unnest`
 * puts together again, and single values. Its text is made once, so that an engine prepares it once.
 *
 *   const received = statement(
 *     { g: rowsOf({ session_id: "text", sequence: "bigint" }) },
 *     ({ g }) => `update requests r set state = ${requestStates.received} from ${g.rows}
 *       where r.session_id = g.session_id and r.sequence = g.sequence`,
 *   );
 *   await received.query(db, { g: { session_id: ids, sequence: numbers } });
 */
import { invariant } from "@warpfarm/common";
import type { Param, Queryable } from "./database.ts";

type Scalar = Exclude<Param, readonly unknown[]>;

export interface Rows<Name extends string> {
  readonly kind: "rows";
  readonly columns: Readonly<Record<Name, string>>;
  /** A further column: the number of the row, from 1. */
  readonly ordinality: string | undefined;
}
export interface Value {
  readonly kind: "value";
  readonly type: string | undefined;
}
type Parts = Readonly<Record<string, Rows<string> | Value>>;

/** What the text of a statement names: rows by `unnest(...) as NAME(columns)`, the array of one column, a value. */
type Names<P extends Parts> = {
  readonly [K in keyof P]: P[K] extends Rows<infer Name> ? Readonly<Record<Name | "rows", string>> : string;
};
type Given<P extends Parts> = {
  readonly [K in keyof P]: P[K] extends Rows<infer Name> ? Readonly<Record<Name, readonly Scalar[]>> : Param;
};

/** Rows with columns of these types. Arrays of equal length are given for them. */
export const rowsOf = <Name extends string>(columns: Readonly<Record<Name, string>>, ordinality?: string): Rows<Name> => ({
  kind: "rows",
  columns,
  ordinality,
});

/** One value. The type is needed where the statement does not tell it. */
export const value = (type?: string): Value => ({ kind: "value", type });

export interface Statement<P extends Parts> {
  readonly text: string;
  params(given: Given<P>): readonly Param[];
  query<Row extends object>(db: Queryable, given: Given<P>): Promise<readonly Row[]>;
}

type Columns = Readonly<Record<string, readonly Scalar[]>>;

/** `unnest` would fill up a shorter column with nulls. */
function checkLengths(part: string, columns: Columns): void {
  const lengths = new Set(Object.values(columns).map(({ length }) => length));
  invariant(lengths.size <= 1, `the columns of ${part} have ${[...lengths].join(" and ")} rows`);
}

/** `textOf` makes the text from the names of the parts; its alias of rows is the name of their part. */
export function statement<const P extends Parts>(parts: P, textOf: (names: Names<P>) => string): Statement<P> {
  const order: { readonly part: string; readonly column?: string }[] = [];
  const numbered = (place: (typeof order)[number], type: string | undefined): string =>
    `$${order.push(place)}${type === undefined ? "" : `::${type}`}`;
  const names = Object.entries(parts).map(([part, one]) => {
    if (one.kind === "value") return [part, numbered({ part }, one.type)];
    const columns = Object.entries(one.columns).map(
      ([column, type]) => [column, numbered({ part, column }, `${type}[]`)] as const,
    );
    const own = [...columns.map(([column]) => column), ...(one.ordinality === undefined ? [] : [one.ordinality])];
    const from = `unnest(${columns.map(([, number]) => number).join(", ")})${one.ordinality === undefined ? "" : " with ordinality"}`;
    return [part, { ...Object.fromEntries(columns), rows: `${from} as ${part}(${own.join(", ")})` }];
  });
  const text = textOf(Object.fromEntries(names) as Names<P>);
  const params = (given: Given<P>): readonly Param[] => {
    for (const [part, one] of Object.entries(parts)) if (one.kind === "rows") checkLengths(part, given[part] as Columns);
    return order.map(({ part, column }): Param => {
      const own = given[part] as Param | Columns;
      const param = column === undefined ? (own as Param) : (own as Columns)[column];
      invariant(param !== undefined, `a statement was given no ${part}${column === undefined ? "" : `.${column}`}`);
      return param;
    });
  };
  return { text, params, query: (db, given) => db.query(text, params(given)) };
}
