/** `tracker`: the process that all others connect to. Its flags are the tracker's own; no other command loads PGlite. */
import { join } from "node:path";
import { type RegisterCommand, readSettings } from "@warpfarm/client/cli";
import { trackerFlags } from "@warpfarm/tracker/flags";
import { Option } from "commander";

interface Flag {
  readonly value?: string;
  readonly about: string;
  readonly group?: string;
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("tracker")
    .description("serve a farm: know the nodes, queue the work, keep the results")
    .addHelpText("after", "\nA <time> has its unit: 500ms, 30s, 15m, 1h, 7d.");
  for (const [name, flag] of Object.entries(trackerFlags)) {
    const { value, about, group }: Flag = flag;
    const option = new Option(value === undefined ? `--${name}` : `--${name} ${value}`, about);
    command.addOption(group === undefined ? option : option.helpGroup(group));
  }
  command.action(async (given: Readonly<Record<string, string | true>>) => {
    const flags = command.options.flatMap((option) => {
      const value = given[option.attributeName()];
      return value === undefined ? [] : [value === true ? `${option.long}` : `${option.long}=${value}`];
    });
    // Only this flag's default depends on the settings; a store that the user names in any way needs no default.
    const isNamed = given.data ?? given.databaseUrl ?? context.env.WARPFARM_DATABASE_URL;
    const data = isNamed ? [] : ["--data", join((await readSettings(context)).dataDir, "tracker")];
    const { trackerMain } = await import("@warpfarm/tracker");
    context.setExitCode(await trackerMain([...flags, ...data], process.env));
  });
};
