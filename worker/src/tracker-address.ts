/**
 * A tracker's address that a worker is told after its start, so that what takes seconds and does not need the tracker (opening a
 * device, finding compilers) begins before there is one. Only the farm of one command does so, whose tracker is on this machine.
 */
import { abortable, FarmError } from "@warpfarm/common";
import { type CredentialFiles, servesOthers } from "@warpfarm/proto";

export type TrackerAddress = string | Promise<string>;

/** Whether the tracker may have clients of other machines. */
export const mayServeOthers = (tracker: TrackerAddress, files: CredentialFiles): boolean =>
  typeof tracker === "string" && servesOthers(tracker, files);

/**
 * Rejects with the signal's reason when the worker is told to end first. Throws FarmError INVALID_ARGUMENT for an address of
 * another machine that was told late: a sandbox was chosen without it.
 */
export async function addressOf(tracker: TrackerAddress, files: CredentialFiles, signal: AbortSignal): Promise<string> {
  const address = await abortable(Promise.resolve(tracker), signal);
  if (typeof tracker !== "string" && servesOthers(address, files))
    throw new FarmError(
      "INVALID_ARGUMENT",
      `--tracker-on-stdin was told ${address}, which is not of this machine; name it with --tracker`,
    );
  return address;
}
