/** Groups of a command's flags. `--help` shows the flags without a group, `--help-all` also the others, by group. */
import type { Command } from "commander";

/** Puts the flags that `add` adds into the group. */
export function inGroup(command: Command, heading: string, add: (command: Command) => Command): Command {
  add(command.optionsGroup(heading));
  return command.optionsGroup("");
}
