/**
 * `verify`: checks a receipt with a key that its reader trusts, and measures again on request. Without --replay it asks no farm.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { allConditions, badInput, countWords, digestOf, timeWords, unreadable } from "@warpfarm/common";
import type { Receipt } from "@warpfarm/records/receipts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { addDeviceFlag, addWhereFlag, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { inGroup } from "../flags/groups.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import type { Replayed } from "../receipts/replay.ts";
import { columns } from "../terminal/words.ts";

interface VerifyFlags extends FarmFlags, DeviceFlags {
  readonly key: string;
  readonly replay?: boolean;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("verify")
    .argument("<receipt>", "FILE.intoto.jsonl, which `records receipt` writes")
    .argument("[files...]", "files that the receipt must be about, such as its source or its cubin")
    .requiredOption(
      "--key <file>",
      "the farm's public keys, which `warpfarm keys` prints; have them from the farm, not with the receipt",
    )
    .option("--replay", "measure again, on the same kind of device under the same conditions");
  inGroup(command, "With --replay:", (place) => addDeviceFlag(addWhereFlag(place)));
  takes(command, ...connection, "json").action((file: string, files: readonly string[], flags: VerifyFlags) =>
    verifyCommand(context, file, files, flags),
  );
};

async function verifyCommand(context: CliContext, file: string, files: readonly string[], flags: VerifyFlags): Promise<void> {
  const { publicKeysIn, readReceipt } = await import("@warpfarm/records/receipts");
  if (!flags.replay && (flags.device !== undefined || flags.where !== undefined))
    throw badInput("--device and --where say where --replay measures; give --replay too, or leave them out");
  const bytesOf = (path: string, what: string) => readFile(resolve(context.cwd, path)).catch(unreadable(`${what} ${path}`));
  const keys = publicKeysIn(`--key ${flags.key}`, (await bytesOf(flags.key, "--key")).toString("utf8"));
  const read = readReceipt((await bytesOf(file, "the receipt")).toString("utf8"), keys);
  if (read.kind !== "receipt")
    throw read.kind === "none"
      ? badInput(`${file} is no receipt: ${read.why}`)
      : new CliError(exitCode.noResult, `${file} proves nothing: ${read.why}`);
  const { receipt } = read;
  for (const path of files) {
    const digest = digestOf(await bytesOf(path, "the file"));
    if (![...receipt.subjects.values()].includes(digest))
      throw new CliError(exitCode.noResult, `${file} is not about ${path}, whose digest is ${digest}`);
  }
  if (!flags.json) context.stdout.write(columns(wordsOf(receipt)));
  const replayed = flags.replay ? await (await import("../receipts/replay.ts")).replay(context, receipt, flags) : undefined;
  if (flags.json) context.stdout.write(`${JSON.stringify(jsonOf(receipt, replayed))}\n`);
  else if (replayed) context.stdout.write(columns(replayedWords(replayed)));
  if (replayed?.verdict === "not comparable") context.setExitCode(exitCode.badInput);
  if (replayed?.verdict === "outside") context.setExitCode(exitCode.checkFailed);
}

const between = ({ low, high }: Receipt["prediction"]): string => `${timeWords(low)} to ${timeWords(high)}`;

function wordsOf(receipt: Receipt): [string, string][] {
  const { keyId, issuedMs, task, args, isVerified, outcome, device, seconds, confidence, prediction } = receipt;
  const percent = (level: number) => `${Math.round(level * 100)} %`;
  return [
    ["signed by", `${keyId} at ${new Date(issuedMs).toISOString()}`],
    ["task", `${task} ${JSON.stringify(args)}, ${isVerified ? "which a builder replayed" : "as its owner says"}`],
    ["outputs", outcome === "PASSED" ? "agree with the reference" : "were compared with nothing"],
    ["device", `${device.name} (${device.key}), driver ${device.driver}`],
    ["conditions", allConditions(receipt.options, receipt.l2)],
    ["time", `${timeWords(seconds)} over ${countWords(receipt.sessions, "session")}`],
    ["confidence", `${between(confidence)} (${percent(confidence.level)})`],
    ["prediction", `${between(prediction)} for one more session on the same device (${percent(prediction.level)})`],
    ...[...receipt.subjects].map(([name, digest]): [string, string] => [name, digest]),
  ];
}

function replayedWords(replayed: Replayed): [string, string][] {
  if (replayed.verdict === "not comparable") return [["replay", `not comparable: ${replayed.why}`]];
  const { verdict, seconds, isSameCard } = replayed;
  const card = isSameCard ? "" : "; another device of the same kind, for which the prediction is not shown";
  return [["replay", `${verdict} the prediction: ${timeWords(seconds)}${card}`]];
}

function jsonOf(receipt: Receipt, replayed: Replayed | undefined): object {
  const { keyId, issuedMs, task, args, isVerified, outcome, device, options, sessions, seconds } = receipt;
  return {
    ...{ key: keyId, issued_ms: issuedMs, task, args, claim_verified: isVerified, outcome, device, options, l2: receipt.l2 },
    ...{ sessions, seconds, confidence: receipt.confidence, prediction: receipt.prediction },
    subjects: Object.fromEntries(receipt.subjects),
    ...(replayed === undefined ? {} : { replay: replayed }),
  };
}
