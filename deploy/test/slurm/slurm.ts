/**
 * Slurm on loopback, with its own daemons (Debian's slurm-wlm and munge): one node of this machine, private folders, ports and
 * key. Its "GPUs" are counts without device files.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../test-support/free-port.ts";
import { until } from "../../../test-support/until.ts";

const execute = promisify(execFile);

export class Slurm implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "warpfarm-slurm-"));
  readonly #daemons: { readonly name: string; readonly pid: number; readonly ended: Promise<unknown>; said: string }[] = [];

  static async start(): Promise<Slurm> {
    const slurm = new Slurm();
    try {
      await slurm.#start();
      return slurm;
    } catch (error) {
      await slurm[Symbol.asyncDispose]();
      throw error;
    }
  }

  path(name: string): string {
    return join(this.directory, name);
  }
  get env(): Readonly<Record<string, string>> {
    return { PATH: process.env.PATH ?? "", HOME: this.directory, SLURM_CONF: this.path("slurm.conf") };
  }

  /** One of Slurm's commands; its standard output. */
  async command(name: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await execute(name, args, { env: this.env, cwd: this.directory });
    return stdout.trim();
  }

  async #start(): Promise<void> {
    const [controller, node] = [await freePort(), await freePort()];
    const user = userInfo().username;
    for (const folder of ["state", "spool"]) mkdirSync(this.path(folder));
    writeFileSync(this.path("munge.key"), randomBytes(1024), { mode: 0o400 });
    const socket = this.path("munge.socket");
    const conf = {
      ...{ ClusterName: "test", SlurmctldHost: `${hostname()}(127.0.0.1)`, SlurmUser: user, SlurmdUser: user },
      ...{ AuthType: "auth/munge", AuthInfo: `socket=${socket}`, CryptoType: "crypto/munge" },
      ...{
        SlurmctldPort: controller,
        SlurmdPort: node,
        StateSaveLocation: this.path("state"),
        SlurmdSpoolDir: this.path("spool"),
      },
      ...{ SlurmctldPidFile: this.path("slurmctld.pid"), SlurmdPidFile: this.path("slurmd.pid") },
      ...{ ProctrackType: "proctrack/linuxproc", TaskPlugin: "task/none", JobAcctGatherType: "jobacct_gather/none" },
      ...{ SelectType: "select/cons_tres", SelectTypeParameters: "CR_Core", GresTypes: "gpu", MpiDefault: "none" },
      ...{ ReturnToService: 2, KillWait: 30, SwitchType: "switch/none", SchedulerType: "sched/backfill" },
      NodeName: `${hostname()} NodeAddr=127.0.0.1 CPUs=16 RealMemory=65536 Gres=gpu:4 State=UNKNOWN`,
      PartitionName: `all Nodes=${hostname()} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO`,
      // More processors than this machine has.
      SlurmdParameters: "config_overrides",
    };
    writeFileSync(
      this.path("slurm.conf"),
      Object.entries(conf)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(""),
    );
    for (const gpu of [0, 1, 2, 3]) writeFileSync(this.path(`gpu${gpu}`), "");
    writeFileSync(this.path("gres.conf"), `Name=gpu File=${this.path("gpu[0-3]")}\n`);
    writeFileSync(this.path("cgroup.conf"), "CgroupAutomount=no\n");
    const files = ["pid", "log", "seed"].map((name) => `--${name}-file=${this.path(`munge.${name}`)}`);
    this.#daemon("munged", "--foreground", "--force", `--key-file=${this.path("munge.key")}`, `--socket=${socket}`, ...files);
    await until(() => readable(this.path("munge.pid")), "munged");
    const configured = ["-D", "-f", this.path("slurm.conf")];
    this.#daemon("slurmctld", ...configured);
    this.#daemon("slurmd", ...configured, "-N", hostname());
    await until(
      async () => (await this.command("sinfo", "--noheader", "--format=%T").catch(() => "")) === "idle",
      "an idle node",
      60_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${this.#daemons.map(({ name, said }) => `${name}: ${said.slice(-2_000)}`).join("\n")}`);
    });
  }

  #daemon(name: string, ...args: readonly string[]): void {
    const child = spawn(name, args, { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((done) => {
      child.once("close", done);
      child.once("error", done);
    });
    const daemon = { name, pid: child.pid ?? 0, ended, said: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => {
        daemon.said += text.toString();
      });
    this.#daemons.push(daemon);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Jobs end before the daemon that knows them.
    if (this.#daemons.length === 3) {
      await this.command("scancel", "--user", userInfo().username).catch(() => {});
      await until(async () => (await this.command("squeue", "--noheader")) === "", "all jobs to end").catch(() => {});
    }
    for (const { pid, ended } of this.#daemons.reverse()) {
      if (pid > 0) process.kill(pid, "SIGTERM");
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function readable(path: string): boolean {
  try {
    return readFileSync(path, "utf8").trim() !== "";
  } catch {
    return false;
  }
}
