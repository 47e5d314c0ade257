/** `--skip-broken`: what becomes of lines of a log that are no records. */
import type { Command } from "commander";

export interface SkipFlags {
  readonly skipBroken?: boolean;
}

export const addSkipFlag = (command: Command): Command =>
  command.option("--skip-broken", "leave out lines that are broken, and say how many there were (default: refuse the file)");

/** For a reader: false makes its error name the flag. */
export const skipping = ({ skipBroken = false }: SkipFlags): { readonly skipBroken: boolean } => ({ skipBroken });
