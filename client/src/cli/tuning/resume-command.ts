/**
 * The shell command that continues a run which ended early. It has everything with which the log must agree, and how the farm is
 * reached.
 */

import { defaultFinalists, defaultSeed, defaultTrials, defaultTuner } from "../../search/defaults.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import type { FarmRun } from "./tune-on-farm.ts";
import { shown } from "./tune-run.ts";

/** As the shell takes it for one word. */
const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Measure options may be given again or changed. */
export function resumeCommand(context: Pick<CliContext, "cwd">, { task, flags, logPath }: FarmRun, farm: FarmAccess): string {
  const {
    tuner = defaultTuner,
    seed = defaultSeed,
    trials = defaultTrials,
    features,
    transfer = [],
    finalists = defaultFinalists,
    rounds,
    idle,
  } = flags;
  const given = (flag: string, value: string | undefined): string[] => (value === undefined ? [] : [flag, value]);
  const where = farm.embedded
    ? given("--device", flags.device)
    : [
        ...given("--tracker", farm.channel.address),
        ...given("--tls-ca", flags.tlsCa),
        ...given("--tls-cert", flags.tlsCert),
        ...given("--tls-key", flags.tlsKey),
        ...given("--token-file", flags.tokenFile),
        ...given("--where", flags.where),
      ];
  const words = [
    ...[
      "npx",
      "warpfarm",
      "tune",
      task.word,
      ...given("--spec", flags.spec),
      ...given("--reference", flags.reference),
      ...(flags.allowInclude ?? []).flatMap((folder) => ["--allow-include", folder]),
      "--args",
      JSON.stringify(task.args),
    ],
    ...given("--target", flags.target),
    ...["--tuner", tuner, "--seed", `${seed}`, "--trials", `${trials}`],
    ...given("--keep", flags.keep),
    ...(flags.retryFailures ? ["--retry-failures"] : []),
    ...given("--features", features),
    ...given("--finalists", finalists === defaultFinalists ? undefined : `${finalists}`),
    ...given("--rounds", rounds === undefined ? undefined : `${rounds}`),
    ...given("--idle", idle === undefined ? undefined : `${idle}ms`),
    ...where,
    ...(transfer.length === 0 ? [] : ["--transfer", ...transfer]),
    ...["--log", shown(context, logPath), "--resume"],
  ];
  return words.map(word).join(" ");
}
