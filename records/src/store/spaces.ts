/**
 * Which namespaces a reader reads. A viewer's are everybody's and its own. Whoever sees all has those that there are, each found
 * behind the last one in an index, without reading its records.
 */
import { everybody } from "../standing.ts";

/** Who asks. */
export interface RecordViewer {
  readonly name: string;
  /** An admin lists everybody's records. For a best or a known failure it has those that any other principal has. */
  readonly seesAll: boolean;
}

/** Who is not named has nothing of its own. */
export const spacesOf = ({ name }: RecordViewer): readonly string[] => (name === everybody ? [everybody] : [everybody, name]);

const first = "select namespace from records order by namespace limit 1";
const behind = "select namespace from records where namespace > spaces.namespace order by namespace limit 1";

/**
 * The condition that a row is in one of them. A planner knows the number of rows in namespaces that are named, and only guesses
 * it where a query joins them.
 */
export const inSpaces = (of: readonly string[] | undefined, param: (value: readonly string[]) => string): string =>
  `namespace = any(${of ? `${param(of)}::text[]` : `array(with recursive spaces (namespace) as (${spacesIn(of, param)}) select namespace from spaces)`})`;

/** What `spaces (namespace)` is in a `with recursive`. `param` names a parameter; undefined `of`: all that there are. */
export const spacesIn = (of: readonly string[] | undefined, param: (value: readonly string[]) => string): string =>
  of
    ? `select unnest(${param(of)}::text[])`
    : `(${first}) union all select x.namespace from spaces cross join lateral (${behind}) x`;
