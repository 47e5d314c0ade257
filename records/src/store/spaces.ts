/**
 * The namespaces that a reader reads: everybody's and its own. For a reader of all, each is found after the last one in an index,
 * without reading its records.
 */
import { everybody } from "../standing.ts";

export interface RecordViewer {
  readonly name: string;
  /** An admin lists everybody's records. For a best or a known failure it has those that any other principal has. */
  readonly seesAll: boolean;
}

/** A reader without a name has nothing of its own. */
export const spacesOf = ({ name }: RecordViewer): readonly string[] => (name === everybody ? [everybody] : [everybody, name]);

const first = "select namespace from records order by namespace limit 1";
const behind = "select namespace from records where namespace > spaces.namespace order by namespace limit 1";

/** The condition that a row is in one of them. */
export const inSpaces = (of: readonly string[] | undefined, param: (value: readonly string[]) => string): string =>
  `namespace = any(${of ? `${param(of)}::text[]` : `array(with recursive spaces (namespace) as (${spacesIn(of, param)}) select namespace from spaces)`})`;

/** The definition of `spaces (namespace)` in a `with recursive`. `param` names a parameter; undefined `of`: all namespaces. */
export const spacesIn = (of: readonly string[] | undefined, param: (value: readonly string[]) => string): string =>
  of
    ? `select unnest(${param(of)}::text[])`
    : `(${first}) union all select x.namespace from spaces cross join lateral (${behind}) x`;
