/** What commands of suites have in common: the folder that a word names, its sources, and the farm on which it runs. */
import { badInput, defined } from "@warpfarm/common";
import type { ArtifactClient, KeptSuite } from "@warpfarm/proto";
import { allowedFolders } from "../../kernel/reach.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import type { CliContext } from "../context.ts";
import { type FarmAccess, openFarm } from "../farm/farm-access.ts";
import { askTracker, channelOf, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { tellSent } from "../flags/task-flags.ts";
import { markIn, mirror, rememberedFlags } from "./farm-suite.ts";
import { suiteNamed } from "./folder.ts";
import { Sources } from "./sources.ts";

export interface SuiteFlags extends FarmFlags, DeviceFlags {
  readonly allowInclude?: readonly string[];
  readonly json?: boolean;
}

/** The folder of a suite that is there: named itself, or by a suite's name in the usual place. */
export const directoryOf = async (context: CliContext, word: string): Promise<SuiteDirectory> =>
  suiteNamed(await readSettings(context), context.cwd, word);

export async function sourcesIn(
  context: CliContext,
  folder: string,
  { allowInclude }: Pick<SuiteFlags, "allowInclude">,
  artifacts?: Pick<ArtifactClient, "download" | "upload">,
): Promise<Sources> {
  const allowed = await allowedFolders(allowInclude, context.cwd);
  return new Sources(folder, { allowed, onLoaded: (source) => tellSent(source, context), ...defined({ artifacts }) });
}

/** For a suite of a farm: copies the farm's state into the folder first. Undefined for a suite that runs here. */
export async function mirrored(context: CliContext, directory: SuiteDirectory, flags: FarmFlags): Promise<KeptSuite | undefined> {
  const mark = await markIn(directory);
  if (!mark) return undefined;
  if (mark.suite_id === undefined)
    throw badInput(
      `${directory.path} was being handed to ${mark.tracker} when its client ended; remove it and run the suite again`,
    );
  const { suite_id: id, tracker } = mark;
  const at = { tracker, ...(await rememberedFlags(directory, flags)) };
  return askTracker(at, context, ({ suites }) => mirror(suites, directory, id, context.signal));
}

export function openSuiteFarm(context: CliContext, settings: Settings, flags: SuiteFlags): Promise<FarmAccess> {
  const channel = channelOf(flags, settings, context);
  if (channel && flags.device !== undefined)
    throw badInput("--device is for an embedded farm; on another farm the suite's targets select devices");
  return openFarm(context, settings, { channel, device: flags.device ?? "auto" });
}

/** The farm on which the suite ran, unless the flags name another, or a device of this machine. */
export const farmOf = async (directory: SuiteDirectory, flags: SuiteFlags): Promise<SuiteFlags> =>
  flags.device === undefined ? rememberedFlags(directory, flags) : flags;

/** Models of the farm's devices, by key. */
export function modelsOf({ devices }: FarmAccess): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { key, model } of devices) found.set(key, (found.get(key) ?? new Set()).add(model?.name ?? "an unnamed device"));
  return found;
}
