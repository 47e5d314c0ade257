/** `records receipt`: a tracker's signed receipt of a record, as a file. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, FarmError, unwritable } from "@warpfarm/common";
import type { CliContext } from "../context.ts";
import { askTracker, type FarmFlags } from "../farm/farm-flags.ts";

export interface ReceiptFlags extends FarmFlags {
  readonly output: string;
  /** False with --no-source. */
  readonly source: boolean;
  readonly json?: boolean;
}

export async function receiptCommand(context: CliContext, id: string, flags: ReceiptFlags): Promise<void> {
  const { output, source, json } = flags;
  const receipt = await askTracker(flags, context, ({ receipts }) =>
    receipts.sign(id, { withDocuments: source }, { signal: context.signal }),
  ).catch((error: unknown) => {
    throw error instanceof FarmError && error.code === "NOT_FOUND" ? badInput(error.message) : error;
  });
  await writeFile(resolve(context.cwd, output), receipt).catch(unwritable(`-o names ${JSON.stringify(output)}, which`));
  if (json) context.stdout.write(`${JSON.stringify({ record: id, file: output, with_source: source })}\n`);
  else
    context.stdout.write(
      `${output} is the receipt of ${id}; ${source ? "it has the program's source, so that others can measure it again" : "it has no source, so only who has the program can measure it again"}\n`,
    );
}
