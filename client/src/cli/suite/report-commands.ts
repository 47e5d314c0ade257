/** What is read off a suite: `suite report` and `suite table`. Both may measure first what they lack. */
import { connect } from "@warpfarm/proto";
import type { Command } from "commander";
import type { SuiteDirectory } from "../../suite/directory.ts";
import type { CliContext } from "../context.ts";
import { addDeviceFlag } from "../farm/farm-flags.ts";
import { integer, several } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { measureCross, pairsOfMatrix, pairsOfTables } from "./measure-cross.ts";
import { directoryOf, farmOf, mirrored, openSuiteFarm, type SuiteFlags, sourcesIn } from "./open-suite.ts";
import {
  besideOthers,
  defaultKernels,
  type ReadSuite,
  type ReportFlags,
  readOthers,
  readSuiteFolder,
  reportSuite,
} from "./report.ts";
import type { Sources } from "./sources.ts";
import { writeTables } from "./write-tables.ts";

type MeasuringFlags = SuiteFlags & { readonly measure?: boolean };

/** Gives `use` the suite, with --measure after the pairs that `lacks` names were measured. */
async function withSuite(
  context: CliContext,
  directory: SuiteDirectory,
  flags: MeasuringFlags,
  lacks: (suite: ReadSuite) => ReturnType<typeof pairsOfTables>,
  use: (suite: ReadSuite, sources: Sources) => Promise<void>,
): Promise<void> {
  await mirrored(context, directory, flags);
  const suite = await readSuiteFolder(directory);
  const { folder = context.cwd } = await directory.plan();
  if (!flags.measure) return use(suite, await sourcesIn(context, folder, flags));
  const pairs = lacks(suite);
  await using farm = await openSuiteFarm(context, await readSettings(context), await farmOf(directory, flags));
  await using tracker = connect(farm.channel);
  const sources = await sourcesIn(context, folder, flags, tracker.artifacts);
  await use(await measureCross(context, farm, suite, sources, pairs), sources);
}

async function report(context: CliContext, word: string, flags: ReportFlags & MeasuringFlags): Promise<void> {
  const directory = await directoryOf(context, word);
  const others = await readOthers(context, directory, flags.beside ?? []);
  await withSuite(
    context,
    directory,
    flags,
    (suite) => pairsOfMatrix(suite, besideOthers(suite, others)),
    (suite) => reportSuite(context, suite, others, flags),
  );
}

interface TableFlags extends MeasuringFlags {
  readonly kernels?: number;
  readonly output?: string;
}

async function table(context: CliContext, word: string, flags: TableFlags): Promise<void> {
  const n = flags.kernels ?? defaultKernels;
  await withSuite(
    context,
    await directoryOf(context, word),
    flags,
    (suite) => pairsOfTables(suite, n),
    (suite, sources) => writeTables(context, suite, sources, n, flags.output),
  );
}

const kernelsFlag = [
  "--kernels <n>",
  `kernels of a dispatch table, at most (default ${defaultKernels})`,
  integer("--kernels", 1, 64),
] as const;

export function registerReports(suite: Command, context: CliContext): void {
  const farm = (command: Command) => takes(addDeviceFlag(command), ...connection, "allowInclude");
  takes(
    farm(
      suite
        .command("report")
        .description("print the results of a suite: best times, speed-ups, device time, portability, dispatch tables")
        .argument("<suite>", "its folder, or its name")
        .option("--beside <suite>", "one portability matrix with a suite of another machine; repeat it for several", several)
        .option("--measure", "first measure the winners of other devices that have no result on this suite's")
        .option(...kernelsFlag),
    ),
    "json",
  ).action((word: string, flags: ReportFlags & MeasuringFlags) => report(context, word, flags));
  farm(
    suite
      .command("table")
      .description("choose a few kernels for all shapes of a template; writes a C++ header with their regret, and a pack")
      .argument("<suite>", "its folder, or its name")
      .option(...kernelsFlag)
      .option("--measure", "first measure the winners on other shapes that have no result")
      .option("-o, --output <folder>", "write the files here (default the folder `table` of the suite's)"),
  ).action((word: string, flags: TableFlags) => table(context, word, flags));
}
