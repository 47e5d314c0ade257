/** `drain`: a node finishes its jobs and gets no new ones, until `--undo`. */
import { badInput, countWords, FarmError } from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";
import type { CliContext, RegisterCommand } from "../context.ts";
import { askTracker, type FarmFlags } from "../farm/farm-flags.ts";
import { connection, takes } from "../flags/shared-flags.ts";

interface DrainFlags extends FarmFlags {
  readonly undo?: boolean;
  readonly forget?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

const lookEveryMs = 500;

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("drain")
    .argument("<node>", "its name in `warpfarm nodes`")
    .option("--undo", "give it work again; also ends the quarantine of its workers")
    .option("--forget", "free its name and its devices for workers of other principals; its own must be gone")
    .option("--wait", "return when it has finished its jobs");
  takes(command, ...connection, "json").action((node: string, flags: DrainFlags) => drainCommand(context, node, flags));
};

async function drainCommand(context: CliContext, node: string, flags: DrainFlags): Promise<void> {
  const { undo = false, forget = false, wait = false, json } = flags;
  const word = forget ? "forget" : undo ? "undo" : "drain";
  if (node === "" || node.length > 256) throw badInput(`the node's name is ${node.length} characters; it takes 1 to 256`);
  if (undo && forget) throw badInput("--undo and --forget are for different calls");
  if (word !== "drain" && wait) throw badInput(`--wait is for draining; leave it out with --${word}`);
  const { workers, running } = await askTracker(flags, context, (tracker) =>
    wait ? drained(context, tracker, node) : drain(context, tracker, node, word),
  );
  if (json) context.stdout.write(`${JSON.stringify({ node, state: states[word], workers, running })}\n`);
  else if (forget) context.stdout.write(`${node} is forgotten: ${countWords(workers, "worker")}\n`);
  else if (undo) context.stdout.write(`${node} gets work again: ${countWords(workers, "worker")}\n`);
  else
    context.stdout.write(
      `${node} gets nothing new: ${countWords(workers, "worker")}, ${countWords(running, "job")} still running\n`,
    );
}

type Word = keyof typeof states;
const states = { drain: "drain", undo: "active", forget: "forgotten" } as const;

async function drain({ signal }: CliContext, { admin }: TrackerConnection, node: string, word: Word) {
  try {
    return await admin.drainNode(node, word, { signal });
  } catch (error) {
    // The tracker's message lists the known nodes, or says that workers live.
    if (error instanceof FarmError && ["NOT_FOUND", "FAILED_PRECONDITION"].includes(error.code)) throw badInput(error.message);
    throw error;
  }
}

/** Draining a drained node changes nothing and returns its running jobs. */
async function drained(context: CliContext, tracker: TrackerConnection, node: string) {
  for (;;) {
    const status = await drain(context, tracker, node, "drain");
    if (status.running === 0) return status;
    await context.clock.sleep(lookEveryMs, { signal: context.signal });
  }
}
