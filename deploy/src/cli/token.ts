/**
 * `token`: edits a tracker's token file. A token is printed once, on standard output, when it is made; the file holds only its
 * hash.
 */
import { type CliContext, type RegisterCommand, takes } from "@warpfarm/client/cli";
import { badInput, countWords } from "@warpfarm/common";
import type { Command } from "commander";

interface FileFlag {
  readonly file: string;
}

const roles = ["client", "builder", "runner", "admin", "metrics"];

/** The tracker's code for the token file. */
const tokenFiles = async (context: CliContext, { file }: FileFlag) => {
  const [{ TokenFileEditor }, { resolve }] = await Promise.all([import("@warpfarm/tracker"), import("node:path")]);
  return new TokenFileEditor(resolve(context.cwd, file));
};

async function edited<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw badInput((error as Error).message);
  }
}

const withFile = (command: Command): Command =>
  command.requiredOption("--file <file>", "the tracker's token file; a tracker reads it again when it changes");

export const register: RegisterCommand = (program, context) => {
  const token = program.command("token");
  withFile(token.command("create").description("add a principal and print its token"))
    .argument("<role>", roles.join(", "))
    .argument("<name>", "the principal's name; with --certificate the first URI or DNS name of its certificate")
    .option("--certificate", "the principal has a certificate signed by the tracker's --tls-ca; no token is made")
    .action(async (role: string, name: string, flags: FileFlag & { readonly certificate?: boolean }) => {
      const files = await tokenFiles(context, flags);
      const made = await edited(() => files.create(role, name, flags.certificate ? "certificate" : "token"));
      if (made !== undefined) context.stdout.write(`${made}\n`);
    });
  takes(withFile(token.command("list").description("list the principals")), "json").action(
    async (flags: FileFlag & { readonly json?: boolean }) => {
      const files = await tokenFiles(context, flags);
      const lines = await edited(() => files.list());
      if (flags.json) context.stdout.write(`${JSON.stringify({ principals: lines })}\n`);
      else for (const { role, name, proof } of lines) context.stdout.write(`${role.padEnd(8)} ${name}  ${proof}\n`);
    },
  );
  withFile(token.command("rotate").description("give a principal a new token and print it; the old one becomes invalid"))
    .argument("<name>", "its name in `token list`")
    .option("--keep-old", "the old tokens stay valid until the next rotate, so that users can be switched one by one")
    .action(async (name: string, flags: FileFlag & { readonly keepOld?: boolean }) => {
      const files = await tokenFiles(context, flags);
      context.stdout.write(`${await edited(() => files.rotate(name, flags.keepOld ?? false))}\n`);
    });
  withFile(token.command("revoke").description("remove a principal; its open streams end"))
    .argument("<name>", "its name in `token list`")
    .action(async (name: string, flags: FileFlag) => {
      const files = await tokenFiles(context, flags);
      const count = await edited(() => files.revoke(name));
      context.stderr.write(`${name} is let in no more: ${countWords(count, "line")} removed\n`);
    });
};
