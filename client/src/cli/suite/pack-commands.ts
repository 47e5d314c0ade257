/** The commands of packs: `suite settle` and `suite verify`. */
import { badInput, countWords } from "@warpfarm/common";
import type { Command } from "commander";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { packIn } from "../../suite/pack-folder.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit.ts";
import { addDeviceFlag } from "../farm/farm-flags.ts";
import { readSettings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { measurePairs } from "./measure-pairs.ts";
import { directoryOf, farmOf, mirrored, openSuiteFarm, type SuiteFlags, sourcesIn } from "./open-suite.ts";
import { type Settled, settleRuns } from "./settle.ts";
import { verifiedWords, verifyPack } from "./verify-pack.ts";

async function settle(context: CliContext, a: string, b: string, flags: SuiteFlags): Promise<void> {
  const runs = [];
  for (const name of [a, b]) {
    const directory = await directoryOf(context, name);
    await mirrored(context, directory, flags);
    runs.push({ name, directory });
  }
  const [first, second] = runs as [(typeof runs)[number], (typeof runs)[number]];
  if (first.directory.path === second.directory.path)
    throw badInput(`${a} and ${b} are one folder; settle takes two runs of one suite`);
  const sources = await sourcesIn(context, await folderOfPack(context, first.directory), flags);
  const settled = await settleRuns(context, [first, second], async (title, rivals, known, keep) => {
    await using farm = await openSuiteFarm(context, await readSettings(context), await farmOf(first.directory, flags));
    return await measurePairs({ context, farm, sources, title, known, keep }, rivals);
  });
  context.stdout.write(flags.json ? `${JSON.stringify(settled)}\n` : settledWords(settled, a, b));
}

function settledWords({ buckets, differed, tied, measured, apart, unpaired, choices }: Settled, a: string, b: string): string {
  const others =
    unpaired === 0 ? "" : `; ${countWords(unpaired, "bucket")} of different templates decided by the times of the searches`;
  return `${countWords(buckets, "bucket")}: ${differed} differed, ${tied} of them tied in the other run; ${measured} measured, ${apart} of them told apart${others}; 0 differ now\n${a} and ${b} have the choices ${choices}\n`;
}

async function verify(context: CliContext, word: string, flags: SuiteFlags): Promise<void> {
  const directory = await directoryOf(context, word);
  await mirrored(context, directory, flags);
  const pack = await packIn(directory, word);
  const sources = await sourcesIn(context, await folderOfPack(context, directory), flags);
  await using farm = await openSuiteFarm(context, await readSettings(context), flags);
  const verified = await verifyPack(context, farm, pack, sources);
  context.stdout.write(flags.json ? `${JSON.stringify(verified)}\n` : verifiedWords(verified, word));
  if (verified.no_longer.length > 0) context.setExitCode(exitCode.checkFailed);
}

/** The folder to which files of the suite are relative. */
const folderOfPack = async ({ cwd }: CliContext, directory: SuiteDirectory): Promise<string> =>
  directory.exists ? ((await directory.plan()).folder ?? cwd) : directory.path;

export function registerPacks(suite: Command, context: CliContext): void {
  const farm = (command: Command) => takes(addDeviceFlag(command), ...connection, "allowInclude", "json");
  farm(
    suite
      .command("settle")
      .description("give two runs of one suite the same choices; where they differ, both kernels are measured interleaved")
      .argument("<run>", "a suite's folder or name, or a folder with choices.json and evidence.json")
      .argument("<other>", "the other run"),
  ).action((a: string, b: string, flags: SuiteFlags) => settle(context, a, b, flags));
  farm(
    suite
      .command("verify")
      .description("measure a pack again, on another node or model of GPU, and list the choices that no longer hold")
      .argument("<pack>", "a suite's folder or name, or a folder with choices.json and evidence.json"),
  ).action((word: string, flags: SuiteFlags) => verify(context, word, flags));
}
