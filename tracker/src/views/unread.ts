/**
 * Sentences on what waits because no live worker that could do it is new enough, by selector. For the version of a program these
 * are the builders of its target; for the version of a manifest, the selected runners. The queues are not read while every worker
 * reads all that this release writes.
 */
import { manifestVersions, parseSelector, programVersions, selects } from "@warpfarm/common";
import type { BuilderFacts, RunnerFacts } from "@warpfarm/proto";
import { buildNeed, buildNeedsMet } from "../policy/build-need.ts";
import type { Queryable } from "../store/database.ts";
import { buildStates, requestStates } from "../store/states.ts";

interface Worker {
  readonly facts: BuilderFacts | RunnerFacts;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string;
}
type Runner = Omit<Worker, "facts"> & { readonly facts: RunnerFacts };

export async function readUnread(db: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
  const workers = await db.query<Worker>("select facts, labels, node from workers where not lost");
  const builders = workers.flatMap(({ facts }) => (facts.kind === "builder" ? [facts] : []));
  const runners = workers.filter((worker): worker is Runner => worker.facts.kind === "runner");
  const unread = new Map<string, string[]>();
  const tell = (selector: string, sentence: string) => unread.set(selector, [...(unread.get(selector) ?? []), sentence]);
  if (builders.some((facts) => !readsAll(facts.programVersions, programVersions))) {
    const met = new Set(builders.flatMap(buildNeedsMet));
    for (const { selector, target, version, n } of await waitingBuilds(db)) {
      const able = builders.filter((facts) => facts.targets.includes(target));
      if (able.length > 0 && !met.has(buildNeed(target, version)))
        tell(
          selector,
          noneReads(
            `version ${version} of Program for ${target}`,
            `${n} to build`,
            "builders",
            able.map((facts) => facts.programVersions),
          ),
        );
    }
  }
  const selected = (selector: string): readonly RunnerFacts[] => {
    const wanted = parseSelector(selector);
    return runners.flatMap(({ facts, labels, node }) =>
      facts.devices.some(({ facts: { key }, memoryBytes }) => selects(wanted, { key, labels, memoryBytes, node })) ? [facts] : [],
    );
  };
  if (runners.some(({ facts }) => !readsAll(facts.manifestVersions, manifestVersions)))
    for (const { selector, version, n } of await waitingRuns(db)) {
      const read = selected(selector).map((facts) => facts.manifestVersions);
      if (read.length > 0 && !read.some((versions) => versions.includes(version)))
        tell(selector, noneReads(`version ${version} of manifests`, `${n} to run`, "runners", read));
    }
  return unread;
}

const readsAll = (read: readonly number[], written: readonly number[]): boolean => written.every((v) => read.includes(v));

function noneReads(what: string, waiting: string, who: string, read: readonly (readonly number[])[]): string {
  const versions = [...new Set(read.flat())].sort((a, b) => a - b).join(", ");
  return `no live worker reads ${what} (${waiting}; the ${who} there read ${versions}): update one of them`;
}

interface Waiting {
  readonly selector: string;
  readonly version: number;
  readonly n: number;
}
const waitingBuilds = (db: Queryable) =>
  db.query<Waiting & { readonly target: string }>(
    `select s.selector, b.target, b.version, count(*)::integer as n from builds b join sessions s on s.session_id = b.session_id
     where b.state = ${buildStates.waiting} group by s.selector, b.target, b.version`,
  );
const waitingRuns = (db: Queryable) =>
  db.query<Waiting>(
    `select s.selector, r.manifest as version, count(*)::integer as n from requests r join sessions s on s.session_id = r.session_id
     where r.state = ${requestStates.ready} and (r.avoid = '{}' or r.avoid <> '{}') group by s.selector, r.manifest`,
  );
