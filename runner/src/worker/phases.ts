/**
 * Which phases a child may report, in which order and with which budget. Reports set deadlines and decide who is blamed for an
 * end, and the program that runs in the child can write them. So a job ends after a number of reports that follows from its
 * options, no report gives more time than they do, and once a candidate's code is loaded nothing is the reference's fault.
 *
 *   a job           fill? reference? load (lock run check) run check; power sustained: (lock run check) run run check
 *   n interleaved   fill? reference? load * n, (lock run check) * n, (lock run)?, (lock run * n) * rounds, check,
 *                   (lock run check) * n
 *   an audit        check, (check lock run check run check) * repeats, twice at most, after all others
 *   then            (check run check) * structures, run; their inputs and references are made in "check"
 *   yielding        (lock run) after each repeat that is thrown away
 */
import type { Clock } from "@warpfarm/common";
import { mostRepeats } from "../measure/audit.ts";
import { heatMs, turnMs } from "../measure/budget.ts";
import type { Phase } from "../measure/measure.ts";
import { structures } from "../measure/structures.ts";
import { windowRules } from "../measure/windows.ts";
import type { ChildRequest, PhaseReport } from "./messages.ts";
import type { PhaseLimits } from "./verdict.ts";
import { residentSets } from "./workloads.ts";

type Rank = 0 | 1 | 2 | 3;
/** Reports of a lower rank do not follow those of a higher one. */
const ranks: Readonly<Record<Phase, Rank>> = { own: 0, fill: 0, reference: 1, load: 2, lock: 3, run: 3, check: 3 };
/** The most reports of a run of the node's own kernels, which are trusted. */
const mostOwn = 64;

/** The most reports of a program that is audited twice, and then tried on inputs of other structure and beside other work. */
const mostAudited = 1 + 2 * 6 * mostRepeats + 3 * structures.length + 1;

/** Checks each report of one request in order; returns why it is not allowed. */
export function phaseRules(request: ChildRequest, yields = false): (value: unknown) => string | undefined {
  let reports = 0;
  let rank: Rank = 0;
  const { programs, most: usually, budgetMs } = limitsOf(request);
  const most = usually + (yields ? 2 * windowRules.mostThrownAway : 0);
  return (value) => {
    const { phase, budgetMs: given, program } = value as PhaseReport;
    reports++;
    if (reports > most) return `it reports more than the ${most} phases of its job`;
    if ((phase === "own") !== (request.kind === "own") && !(request.kind === "own" && phase === "lock"))
      return `phase ${phase} is none of this job`;
    if (request.kind === "own") return undefined;
    if (ranks[phase] < rank) return `phase ${phase} came after later ones`;
    rank = ranks[phase];
    if (program !== undefined && program >= programs) return `program ${program} is none of the ${programs} interleaved`;
    if (phase === "run" ? !(given !== undefined && given <= budgetMs) : given !== undefined)
      return `phase ${phase} with a budget of ${given} ms; a run has at most ${budgetMs}`;
    return undefined;
  };
}

/** For inputs and reference together. */
export const referenceMsOf = ({ reference }: PhaseLimits, runTimeoutMs: number): number => Math.max(reference, 4 * runTimeoutMs);

/** Milliseconds that the phase of each report may take. */
export function phaseDeadlines(request: ChildRequest, limits: PhaseLimits, clock: Pick<Clock, "monotonic">) {
  const referenceMs = referenceMsOf(limits, request.kind === "measure" ? request.options.runTimeoutMs : 0);
  let referenceUntilMs = 0;
  return ({ phase, budgetMs }: PhaseReport): number | undefined => {
    const now = clock.monotonic();
    if (phase === "run") return budgetMs;
    if (phase === "fill") referenceUntilMs = now + referenceMs;
    if (phase === "fill" || phase === "reference") return Math.max(1, referenceUntilMs - now);
    // There the reference runs once more for each set and structure.
    const isReferenceIn = phase === "check" && request.kind === "measure" && request.judged !== undefined;
    return isReferenceIn ? Math.max(limits.check, referenceMs) : limits[phase];
  };
}

function limitsOf(request: ChildRequest): { readonly programs: number; readonly most: number; readonly budgetMs: number } {
  if (request.kind !== "measure") return { programs: 0, most: request.kind === "own" ? mostOwn : 0, budgetMs: 0 };
  const { paired, options, judged } = request;
  // Fewer sets are tried where memory is short, each with its reference.
  const more = judged === undefined ? 0 : residentSets.length * 2 + (1 + (paired?.others.length ?? 0)) * mostAudited;
  const isHeated = heatMs(options, 1) > 0;
  if (paired === undefined)
    return { programs: 0, most: more + (isHeated ? 9 : 8), budgetMs: Math.max(options.runTimeoutMs, heatMs(options, 1)) };
  const programs = 1 + paired.others.length;
  const { rounds } = paired.options;
  return {
    programs,
    most: more + 2 + programs + (isHeated ? 2 : 0) + 3 * programs + rounds * (1 + programs) + 1 + 3 * programs,
    budgetMs: Math.max(turnMs(options, paired.options), heatMs(options, programs)),
  };
}
