/** `tracker`: the process every other one dials. Its flags are the tracker's own; PGlite is loaded here and nowhere before. */
import { join } from "node:path";
import { type RegisterCommand, readSettings } from "@warpfarm/client/cli";
import { trackerHelp } from "@warpfarm/tracker/flags";

export const register: RegisterCommand = (program, context) => {
  program
    .command("tracker")
    .description("serve a farm: knows the nodes, queues the work, keeps the results (tracker --help for its flags)")
    .usage("[flags]")
    .argument("[flags...]")
    .allowUnknownOption()
    .helpOption(false)
    // For `help tracker`; `tracker --help` is its own.
    .configureHelp({ formatHelp: () => trackerHelp })
    .action(async (flags: readonly string[]) => {
      // The one flag whose default the settings change; a store that is named in any way needs no default.
      const named = flags.some((flag) => /^--(data|database-url)(=|$)/.test(flag)) || context.env.WARPFARM_DATABASE_URL;
      const data = named ? [] : ["--data", join((await readSettings(context)).dataDir, "tracker")];
      const { trackerMain } = await import("@warpfarm/tracker");
      context.setExitCode(await trackerMain([...flags, ...data], process.env));
    });
};
