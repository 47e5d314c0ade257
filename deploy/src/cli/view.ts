/** `view`: the page on log files, served on loopback until the user ends it. */

import { resolve } from "node:path";
import { parse, type RegisterCommand, takes } from "@warpfarm/client/cli";
import { badInput } from "@warpfarm/common";
import { servePageOfLogs } from "./page-of-logs.ts";

interface Flags {
  readonly port?: number;
  readonly skipBroken?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  takes(program.command("view"), "skipBroken")
    .argument(
      "<log...>",
      "logs (.jsonl, .log, .json, gzipped or not) and folders, of suites too; their other files are skipped; growing logs are followed",
    )
    .option("--port <n>", "port on 127.0.0.1 (default: a free one)", parse.integer("--port", 1, 65_535))
    .action(async (logs: readonly string[], { port = 0, skipBroken = false }: Flags) => {
      const paths = logs.map((path) => resolve(context.cwd, path));
      const { source, server } = await servePageOfLogs(context, { paths, port, skipBroken, version: program.version() ?? "" });
      await using _ = server;
      for (const warning of source.warnings) context.stderr.write(`warpfarm view: ${warning}\n`);
      const runs = await source.runs({ name: "local", isAdmin: true });
      if (runs.length === 0) throw badInput(`no trial in ${logs.join(", ")}; a log has one a line`);
      context.stdout.write(`${runs.length} run${runs.length === 1 ? "" : "s"} at ${server.address}   (Ctrl-C ends)\n`);
      await new Promise<void>((ended) => {
        if (context.signal.aborted) ended();
        else context.signal.addEventListener("abort", () => ended(), { once: true });
      });
    });
};
