/** `gc`: collects at once what the tracker collects by itself every minute, and newer things on request. */
import { countWords, defined } from "@warpfarm/common";
import type { CliContext, RegisterCommand } from "../context.ts";
import { askTracker, type FarmFlags } from "../farm/farm-flags.ts";
import { duration } from "../flags/parse.ts";
import { connection, takes } from "../flags/shared-flags.ts";

interface GcFlags extends FarmFlags {
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const yearMs = 366 * 86_400_000;

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("gc")
    .option(
      "--older-than <time>",
      "delete what was unused for this time, such as 30m, 12h or 7d; artifacts stay at least two minutes (default: the tracker's times)",
      duration("--older-than", { highMs: yearMs }),
    )
    .option("--dry-run", "count, delete nothing");
  takes(command, ...connection, "json").action((flags: GcFlags) => gcCommand(context, flags));
};

async function gcCommand(context: CliContext, flags: GcFlags): Promise<void> {
  const { olderThan, dryRun = false, json } = flags;
  const what = { dryRun, ...defined({ keepMs: olderThan }) };
  const garbage = await askTracker(flags, context, ({ admin }) => admin.collectGarbage(what, { signal: context.signal }));
  const { builds, programs, blobs, bytes, requests } = garbage;
  if (json) context.stdout.write(`${JSON.stringify({ dry_run: dryRun, builds, programs, blobs, bytes, requests })}\n`);
  else
    context.stdout.write(
      `${dryRun ? "would remove" : "removed"} ${countWords(builds, "build")}, ${countWords(programs, "program")}, ` +
        `${countWords(blobs, "blob")} of ${(bytes / 2 ** 20).toFixed(1)} MiB, ${countWords(requests, "received request")}\n`,
    );
}
