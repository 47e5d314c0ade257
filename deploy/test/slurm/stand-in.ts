/**
 * What sbatch and slurmd do with a batch script, for machines without Slurm, as sbatch(1) says: options are the lines that begin
 * with `#SBATCH` before the first command; slurmd runs a copy of the script with the job's variables; `--signal=B:` is sent to
 * the batch shell alone, and no other process of the job gets it.
 */
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";

/** The script's options, `--name=value` by name. Throws on a line that sbatch would refuse or not see. */
export function optionsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n");
  if (!lines[0]?.startsWith("#!")) throw new Error("a batch script begins with #!");
  const first = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  if (lines.slice(first).some((line) => line.startsWith("#SBATCH")))
    throw new Error("#SBATCH after the first command is a comment");
  return new Map(
    lines.slice(0, first).flatMap((line) => {
      if (!line.startsWith("#SBATCH")) return [];
      const [, name, value = ""] = /^#SBATCH --([a-z-]+)(?:=(\S+))?$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not an option: ${line}`);
      return [[name, value] as const];
    }),
  );
}

/** A job that slurmd has begun in `directory`. `job` has the variables that depend on it. */
export function begin(script: string, directory: string, job: Readonly<Record<string, string>>) {
  const copy = join(directory, "slurm_script");
  copyFileSync(script, copy);
  const child = spawn("/bin/bash", [copy], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", HOME: directory, SLURM_JOB_ID: "7", SLURMD_NODENAME: "node1", ...job },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      said += text.toString();
    });
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.once("close", (code, signal) => done(code ?? signal)),
  );
  return { said: () => said, ended, pid: child.pid ?? -1, signalBatchShell: (signal: NodeJS.Signals) => child.kill(signal) };
}
