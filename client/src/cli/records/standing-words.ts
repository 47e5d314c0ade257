/** Who else reads a record, in words. On an embedded farm, and where nobody has a token, everything is one user's. */
import { countWords } from "@warpfarm/common";
import { standingText, type TuningRecord } from "@warpfarm/records";
import type { SaysRecords } from "../../search/farm-records.ts";
import type { CliContext } from "../context.ts";

/** Undefined where there is one user. */
export function standingWord({ standing }: Pick<TuningRecord, "standing">): string | undefined {
  return standing && standingText[standing];
}

function ownWords(records: readonly Pick<TuningRecord, "standing">[]): readonly string[] {
  const own = records.filter(({ standing }) => standing === "unverified").length;
  return own === 0 ? [] : [`${own} own, unverified`];
}

/** `others`: records of others that an answer would have; 0: no words. */
export const waitingWords = (others: number): readonly string[] =>
  others === 0
    ? []
    : [
        `${countWords(others, "result")}${others >= mostCounted ? " or more" : ""} of others ${others === 1 ? "waits" : "wait"} for verification by a builder`,
      ];
const mostCounted = 1_000;

export const waitingTo =
  ({ stderr }: Pick<CliContext, "stderr">) =>
  (others: number): void => {
    for (const words of waitingWords(others)) stderr.write(`${words}\n`);
  };

export const saysRecords = ({ stderr }: Pick<CliContext, "stderr">): SaysRecords => ({
  warn: (message) => void stderr.write(`${message}\n`),
  found: (task, records, waiting) => {
    const words = [...ownWords(records), ...waitingWords(waiting)].join("; ");
    if (words !== "") stderr.write(`the farm's records of ${task}: ${words}\n`);
  },
});
