/** Groups of a command's flags. */
import type { Command } from "commander";

/** Puts the flags that `add` adds into the group. */
export function inGroup(command: Command, heading: string, add: (command: Command) => Command): Command {
  add(command.optionsGroup(heading));
  return command.optionsGroup("");
}
