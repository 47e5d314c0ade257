/** A thread of score-pool.ts: runs the seeds it is sent on the space it was given, and answers each with its score. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@warpfarm/common";
import { type TunerName, tuners } from "../tuner/index.ts";
import { openRecorded, type RecordedData } from "./recorded-space.ts";
import { type ScoreOptions, scoreRepeats } from "./score.ts";

export interface ThreadTask {
  readonly data: RecordedData;
  readonly tuner: TunerName;
  readonly seeds: readonly number[];
  readonly options: Pick<ScoreOptions, "budget" | "inFlight">;
}

invariant(parentPort, "score-thread runs as a thread");
const { data, tuner, seeds, options } = workerData as ThreadTask;
parentPort.postMessage(scoreRepeats(openRecorded(data), tuners[tuner], seeds, options));
