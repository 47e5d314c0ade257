/**
 * The composition root of the command line: the client's commands, the farm's processes and the demo in one program. Each command
 * loads what it needs when it runs, so a machine without a C compiler, koffi or PGlite can still do everything that needs none of
 * them.
 */
import {
  type CommandList,
  clientCommands,
  createProgram,
  exitCode,
  exitCodeOf,
  registerCommands,
  runProgram,
  sentenceOf,
} from "@warpfarm/client/cli";
import { badInput, parseDebug } from "@warpfarm/common";
import { surroundings } from "./cli/surroundings.ts";

export const commands: CommandList = {
  ...clientCommands,
  token: {
    about: "edit the principals of a tracker: create, list, rotate or revoke their tokens",
    load: () => import("./cli/token.ts"),
  },
  keys: {
    about: "print the public keys of a farm's receipts, for verify --key; rotate gives its trackers a new private key",
    load: () => import("./cli/keys.ts"),
  },
  tracker: {
    about: "serve a farm: know the nodes, queue the work, keep the results",
    load: () => import("./cli/tracker.ts"),
  },
  builder: {
    about: "compile programs for a tracker, in child processes",
    load: () => import("./cli/builder.ts"),
  },
  runner: {
    about: "serve a device of this machine: load, check and time kernels",
    load: () => import("./cli/runner.ts"),
  },
  view: {
    about: "show logs as a page in a browser: searches, trials, kernels; needs no tracker",
    load: () => import("./cli/view.ts"),
  },
  demo: {
    about: "tune a real convolution on a farm on this machine (npm start runs this)",
    load: () => import("./cli/demo.ts"),
  },
};

/** Runs one command line and resolves with its exit code. `bin` is the executable script, for starting further processes. */
export async function main(argv: readonly string[], bin: string, version: string): Promise<number> {
  try {
    parseDebug(process.env);
  } catch (error) {
    process.stderr.write(`warpfarm: ${sentenceOf(badInput((error as Error).message))}\n`);
    return exitCode.badInput;
  }
  const { context: untraced, askedCode } = surroundings(bin);
  const [command = ""] = argv.filter((word) => !word.startsWith("-"));
  await using traced = command in clientCommands ? await openTraced(command) : undefined;
  const context = { ...untraced, tracing: traced?.tracing };
  const program = createProgram(context, version);
  await registerCommands(program, context, commands, argv);
  const code = await runProgram(program, argv, context);
  // A server that a signal ended did not fail, but its exit code still reports the signal.
  if (code === 0 && context.signal.aborted) return exitCodeOf(context.signal.reason);
  return code === 0 ? (askedCode() ?? 0) : code;
}

/** The spans of one command of the client: all of them are of one trace, which may be that of $TRACEPARENT. */
async function openTraced(command: string) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, TRACEPARENT } = process.env;
  // Most commands do not even load what would look.
  if (!OTEL_EXPORTER_OTLP_ENDPOINT && !OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  const { openTracing } = await import("@warpfarm/proto");
  const warn = (sentence: string) => process.stderr.write(`warpfarm ${command}: ${sentence}\n`);
  const all = await openTracing(process.env, "warpfarm-client", warn);
  const root = all?.span(`warpfarm ${command}`, { parent: TRACEPARENT });
  return {
    tracing: all?.within(root?.traceparent ?? ""),
    async [Symbol.asyncDispose]() {
      root?.end();
      await all?.[Symbol.asyncDispose]();
    },
  };
}
