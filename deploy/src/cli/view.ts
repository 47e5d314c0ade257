/** `view`: the page on log files, served on loopback until it is ended. */
import { resolve } from "node:path";
import { badInput, parse, type RegisterCommand } from "@warpfarm/client/cli";
import { FarmError, systemClock } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";

interface Flags {
  readonly port?: number;
}

export const register: RegisterCommand = (program, context) => {
  program
    .command("view")
    .description("show logs as a page in a browser: searches, trials, kernels; no tracker needed")
    .argument("<log...>", "logs (.jsonl, .log, .json, gzipped or not) and folders of them; one that grows is followed")
    .option("--port <n>", "of 127.0.0.1 (default: a free one)", parse.integer("--port", 1, 65_535))
    .action(async (logs: readonly string[], { port = 0 }: Flags) => {
      const { openDoors, openFiles, pageApp, servePage } = await import("@warpfarm/web");
      const paths = logs.map((path) => resolve(context.cwd, path));
      const source = await openFiles(paths, { now: systemClock.now, programOf });
      for (const warning of source.warnings) context.stderr.write(`warpfarm view: ${warning}\n`);
      const runs = await source.runs({ name: "local", isAdmin: true });
      if (runs.length === 0) throw badInput(`no trial in ${logs.join(", ")}; a log has one a line`);
      const app = pageApp({
        source,
        doors: openDoors,
        clock: systemClock,
        version: program.version() ?? "",
        isLoopback: true,
        onError: (error, path) => context.stderr.write(`warpfarm view: ${path}: ${String(error)}\n`),
      });
      await using server = await servePage(app, port);
      context.stdout.write(`${runs.length} run${runs.length === 1 ? "" : "s"} at ${server.address}   (Ctrl-C ends)\n`);
      await new Promise<void>((ended) => {
        if (context.signal.aborted) ended();
        else context.signal.addEventListener("abort", () => ended(), { once: true });
      });
    });
};

/**
 * Logs name programs by digest alone. Of a template that comes with Warpfarm the program is made again; one of another version
 * has another digest, and is none.
 */
async function programOf({ task, args, target, config, program }: TuningRecord): Promise<string | undefined> {
  if (program === undefined || config?.index === undefined || config.index < 0) return undefined;
  const { createTask, templates } = await import("@warpfarm/client");
  if (!templates.some((template) => template.name === task)) return undefined;
  try {
    const made = createTask(task, [...args], target);
    const instance = made.instantiate(made.space.toIndex(config.index));
    if (!instance.ok || instance.value.program.digest !== program) return undefined;
    return new TextDecoder().decode(instance.value.program.bytes);
  } catch (error) {
    // Arguments of another version: as if the template were not there.
    if (error instanceof FarmError || error instanceof RangeError) return undefined;
    throw error;
  }
}
