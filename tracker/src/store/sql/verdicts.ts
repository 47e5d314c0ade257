/**
 * Which failures the tracker gives back without trying again: those of a toolchain that every live builder of the target has, of
 * the last seven days, and for a run of the model and driver of every device that the session may be sent to. Without a live
 * builder none is given back, because the toolchain of the next one is not known.
 *
 * A builder's word that a program does not compile is final for the principal for whom it was built. It stands for another when
 *
 *   vouched    a builder said so that was registered with an admin's token, or at a tracker that asks nobody who they are (an
 *              embedded farm's is the tracker's own)
 *   two        builders of two principals said so
 *   nobody     no builder of another principal builds for the target: there is nobody else to ask
 *
 * Otherwise the program is built again, by a builder of another principal.
 */
import {
  type FailedResult,
  loweringToolchain,
  noCompiler,
  onTextOf,
  parseSelector,
  selects,
  sharedToolchains,
  toolchainsOf,
} from "@warpfarm/common";
import type { BuilderFacts, RunnerFacts } from "@warpfarm/proto";
import type { Queryable } from "../database.ts";
import { requestStates } from "../states.ts";

/** A verdict expires, because compilers, drivers and machines change without a new name. */
const failureExpiresMs = 7 * 24 * 3_600_000;

const buildersOf = (build: string) =>
  `select 1 from workers w where w.role = 'builder' and not w.lost and w.facts -> 'targets' @> to_jsonb(${build}.target)`;

/** Builders none of whose principals has said that the program does not compile. */
const othersOf = (build: string) => `${buildersOf(build)} and w.principal <> all(${build}.said_by)`;

export const isAgreed = (build: string): string =>
  `(${build}.vouched or cardinality(${build}.said_by) >= 2 or not exists (${othersOf(build)}))`;

export const buildersOfSayers = (build: string): string =>
  `array(select w.worker_id from workers w where w.role = 'builder' and not w.lost and w.principal = any(${build}.said_by))`;

export const othersWaitFor = (build: string): string => `exists (
  select 1 from requests r join sessions x on x.session_id = r.session_id
  where r.state = ${requestStates.building} and x.principal <> ${build}.principal
    and (r.program = ${build}.program or r.reference = ${build}.program or (r.others <> '{}' and ${build}.program = any(r.others))))`;

const lowering = `'${loweringToolchain("")}' || (w.facts ->> 'compilerVersion')`;

/** Whether a failed row of builds is of today's toolchains, and recent. */
export const buildFailureIsCurrent = (build: string): string => `(
  ${build}.toolchain is not null and ${build}.finished_at > now() - interval '${failureExpiresMs} ms'
  and exists (${buildersOf(build)})
  and not exists (${buildersOf(build)}
    and not (w.facts -> 'toolchains' @> to_jsonb(${build}.toolchain)
      or ${build}.toolchain in (${lowering}, '${noCompiler.replaceAll("'", "''")}')
      or exists (select 1 from jsonb_array_elements_text(w.facts -> 'toolchains') as id
        where ${build}.toolchain = id || '${onTextOf}' || ${lowering}))))`;

/** Whether a failure that is current stands for a principal. `principal`: SQL. */
export const buildFailureStandsFor = (build: string, principal: string): string =>
  `(${build}.principal = ${principal} or ${isAgreed(build)})`;

/** The program's build target, and the selector of the session that asks. */
export interface Asked {
  readonly target: string;
  readonly selector: string;
}

interface Live {
  readonly facts: BuilderFacts | RunnerFacts;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether each of these failed runs stands, in their order. */
export async function runFailuresStand(
  db: Queryable,
  failures: readonly (Asked & { readonly result: FailedResult })[],
  now: number,
): Promise<readonly boolean[]> {
  if (failures.length === 0) return [];
  const workers = await db.query<Live>("select facts, labels from workers where not lost");
  return failures.map(({ result, target, selector }) => {
    const { toolchain, device, timestampMs } = result;
    if (toolchain === undefined || device === undefined || now - timestampMs >= failureExpiresMs) return false;
    const builders = workers.flatMap(({ facts }) => (facts.kind === "builder" && facts.targets.includes(target) ? [facts] : []));
    if (!sharedToolchains(builders.map(toolchainsOf)).has(toolchain)) return false;
    const asked = parseSelector(selector);
    const reached = workers.flatMap(({ facts, labels }) =>
      facts.kind === "runner"
        ? facts.devices.filter(({ facts: { key }, memoryBytes }) => selects(asked, { key, labels, memoryBytes }))
        : [],
    );
    return reached.every(
      ({ facts: { key, name, driver } }) => key === device.key && name === device.name && driver === device.driver,
    );
  });
}
