/** `--keep`: who reads the records of what a command measures. */
import type { RecordsKept } from "@warpfarm/proto";
import type { Command } from "commander";
import { oneOf } from "./parse.ts";

export interface KeepFlags {
  readonly keep?: RecordsKept;
}

/** Equal to recordsKept of proto, which only some commands load. */
const kept = ["shared", "private", "none"] as const satisfies readonly RecordsKept[];

export const addKeepFlag = (command: Command): Command =>
  command.option(
    "--keep <how>",
    "records of the results: shared (others read them once a builder has verified them), private (you and admins), none (default shared)",
    oneOf("--keep", kept),
  );
