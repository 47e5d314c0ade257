/** `keys`: prints the public keys with which a farm's receipts are verified, or gives its trackers a new private one. */
import { type CliContext, connection, type RegisterCommand, takes } from "@warpfarm/client/cli";
import { askTracker, type FarmFlags } from "@warpfarm/client/cli/farm";

export const register: RegisterCommand = (program, context) => {
  const keys = program.command("keys");
  takes(keys, ...connection, "json").action((flags: FarmFlags & { readonly json?: boolean }) => showKeys(context, flags));
  keys
    .command("rotate")
    .description("make a new private key; receipts of the old one stay valid, because trackers keep its public key")
    .requiredOption("--file <file>", "the --receipt-key of the trackers, which read it again for each receipt; made when missing")
    .action((flags: { readonly file: string }) => rotate(context, flags));
};

async function showKeys(context: CliContext, flags: FarmFlags & { readonly json?: boolean }): Promise<void> {
  const { keyFile } = await import("@warpfarm/records/receipts");
  const keys = await askTracker(flags, context, ({ receipts }) => receipts.keys({ signal: context.signal }));
  const json = keys.map(({ id, pem, sinceMs, untilMs = null }) => ({ id, pem, since_ms: sinceMs, until_ms: untilMs }));
  if (flags.json) context.stdout.write(`${JSON.stringify({ keys: json })}\n`);
  else if (keys.length > 0) context.stdout.write(keyFile(keys));
  else context.stderr.write("this farm has signed no receipts; start its trackers with --receipt-key\n");
}

async function rotate(context: CliContext, { file }: { readonly file: string }): Promise<void> {
  const [{ rotateReceiptKey }, { publicKeyOf }, { resolve }] = await Promise.all([
    import("@warpfarm/tracker"),
    import("@warpfarm/records/receipts"),
    import("node:path"),
  ]);
  const { id, pem } = publicKeyOf(await rotateReceiptKey(resolve(context.cwd, file)));
  context.stderr.write(`${file} has the new private key; its public key is ${id}\n`);
  context.stdout.write(pem);
}
