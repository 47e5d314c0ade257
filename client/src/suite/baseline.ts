/** Whether the winner of a bucket beats the baseline of its suite. What does not win by more than noise does not replace it. */
import { defined, type Rounds } from "@warpfarm/common";
import type { BaselineEvidence, PackChoice, PackKernel } from "@warpfarm/records/packs";
import { nameOfTask } from "@warpfarm/records/search";
import { type Entity, type Finals, nameOfConfig, type TaskResults, verdictOf } from "@warpfarm/records/suites";
import type { BaselineOf, ConfigBy, PlannedTask, SuiteBaseline } from "./plan.ts";

interface Made {
  readonly choice: PackChoice;
  /** Of what is chosen; of a library none. */
  readonly seconds: { readonly seconds: number; readonly low: number; readonly high: number } | undefined;
  /** Whether the search's own winner is chosen. */
  readonly isOwn: boolean;
  readonly baseline: BaselineEvidence | undefined;
  /** The template of what is chosen, where that is not the one that won the search. */
  readonly by?: ConfigBy;
}

/** A library's margin where nobody measured its noise. */
export const usualMargin = 0.03;

export function chosenAgainst(
  { task, best }: Pick<TaskResults<PlannedTask>, "task" | "best">,
  baseline: SuiteBaseline | undefined,
  paired: readonly Finals[],
): Made {
  const of = baseline?.of[task.id];
  const name = baseline?.name ?? "";
  const own: Made = best
    ? {
        choice: { kind: "config", config: best.config, program: best.program, tied: best.tied },
        seconds: { seconds: best.seconds, low: best.low, high: best.high },
        ...{ isOwn: true, baseline: undefined },
      }
    : { choice: { kind: "none" }, seconds: undefined, isOwn: true, baseline: undefined };
  if (of === undefined) return own;
  if (of.kind === "library") return againstLibrary(own, name, of);
  // With no time of its own, what the baseline had is all that there is.
  const by =
    of.kind === "config" && of.by && (!best || nameOfTask(of.by.task) !== nameOfTask(task.search.task)) ? of.by : undefined;
  if (of.kind === "config" && (by || !best)) {
    const choice: PackChoice = { kind: "config", config: of.config, program: of.program, tied: [] };
    if (by?.seconds === undefined || !best) return { ...own, choice, isOwn: false, ...defined({ by }) };
    const { wins, baseline: evidence } = unpaired(own, name, { seconds: by.seconds, margin: usualMargin });
    return wins ? { ...own, baseline: evidence } : { choice, seconds: undefined, isOwn: false, baseline: evidence, by };
  }
  if (!best) return own;
  if (of.kind === "config" && (of.program === best.program || nameOfConfig(of.config) === nameOfConfig(best.config)))
    return itself(own, name);
  return againstRounds(own, { config: best.config, program: best.program }, name, of, paired);
}

/** Two configs may be one program, and a config may be the default schedule. */
const itself = (own: Made, name: string): Made => ({ ...own, baseline: { name, kept: true, why: "the winner is the baseline" } });

/** Whether the winner is faster beyond the margin of a time that has no rounds with it. */
function unpaired(own: Made, name: string, { seconds, margin }: { readonly seconds: number; readonly margin: number }) {
  const wins = own.seconds !== undefined && own.seconds.seconds * (1 + margin) < seconds;
  const baseline: BaselineEvidence = { name, kept: !wins, unpaired: true, seconds, margin };
  return { wins, baseline };
}

function againstLibrary(own: Made, name: string, of: Extract<BaselineOf, { readonly kind: "library" }>): Made {
  const { wins, baseline } = unpaired(own, name, of);
  return wins ? { ...own, baseline } : { choice: { kind: "library" }, seconds: undefined, isOwn: false, baseline };
}

/** The default schedule has no config, and stands for itself among kernels. */
export const defaultEntity: Entity = [];
export const isDefault = ({ config }: Pick<PackKernel, "config">): boolean => config.length === 0;

export const configOfBaseline = (of: Exclude<BaselineOf, { readonly kind: "library" }>): PackKernel["config"] =>
  of.kind === "config" ? of.config : defaultEntity;

function againstRounds(
  own: Made,
  winner: PackKernel,
  name: string,
  of: Exclude<BaselineOf, { readonly kind: "library" }>,
  paired: readonly Finals[],
): Made {
  const [base, won] = [nameOfConfig(configOfBaseline(of)), nameOfConfig(winner.config)];
  const rounds = paired.findLast(({ finalists, failed }) =>
    [base, won].every((config) => [...finalists, ...failed].some((each) => nameOfConfig(each.config) === config)),
  );
  if (!rounds) return own;
  const placeOf = (config: string) => rounds.finalists.findIndex((each) => nameOfConfig(each.config) === config);
  const failure = rounds.failed.find((each) => nameOfConfig(each.config) === base);
  if (failure) return { ...own, baseline: { name, kept: false, why: `the baseline does not run: ${failure.message}` } };
  const kernel = [...rounds.finalists, ...rounds.failed].find((each) => nameOfConfig(each.config) === base) as PackKernel;
  if (kernel.program === winner.program) return itself(own, name);
  const kept = (tied: readonly PackKernel[]): PackChoice =>
    of.kind === "default"
      ? { kind: "default", program: kernel.program }
      : { kind: "config", config: kernel.config, program: kernel.program, tied };
  if (placeOf(won) < 0) {
    const why = "the winner failed when it was measured again";
    return { choice: kept([]), seconds: undefined, isOwn: false, baseline: { name, kept: true, why } };
  }
  const runs = rounds.runs.map(({ costs }) => [costs[placeOf(base)] as Rounds, costs[placeOf(won)] as Rounds]);
  const verdict = verdictOf(runs);
  const { estimate, low, high } = verdict.ratioOf(1, 0);
  const wins = verdict.isDecided && verdict.winner.at === 1;
  const evidence: BaselineEvidence = { name, kept: !wins, ratio: { estimate, low, high } };
  if (wins) return { ...own, baseline: evidence };
  const rank = verdict.ranks.find(({ at }) => at === 0);
  return {
    choice: kept(verdict.tied.length > 0 ? [winner] : []),
    ...{ isOwn: false, baseline: evidence },
    seconds: rank && { seconds: rank.seconds.estimate, low: rank.seconds.low, high: rank.seconds.high },
  };
}
