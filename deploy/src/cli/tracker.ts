/** `tracker`: the process every other one dials. Its flags are the tracker's own; PGlite is loaded here and nowhere before. */
import type { RegisterCommand } from "@warpfarm/client/cli";

export const register: RegisterCommand = (program, context) => {
  program
    .command("tracker")
    .description("serve a farm: knows the nodes, queues the work, keeps the results (tracker --help for its flags)")
    .usage("[flags]")
    .argument("[flags...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (flags: readonly string[]) => {
      const { trackerMain } = await import("@warpfarm/tracker");
      context.setExitCode(await trackerMain(flags, process.env));
    });
};
