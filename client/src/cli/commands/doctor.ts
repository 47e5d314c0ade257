/**
 * `doctor`: lists what is present and what is missing, with advice. Exit 0 when this machine can run its own CPU farm or use the
 * named tracker, 3 when that tracker is away or refuses us, 4 otherwise.
 */
import { spawn } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { countWords, defined, FarmError, firstLine } from "@warpfarm/common";
import type { ChannelOptions } from "@warpfarm/proto";
import { reaching } from "../../search/reaching.ts";
import type { CliContext, Finding, RegisterCommand } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { channelHere, type FarmFlags } from "../farm/farm-flags.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { hanging, type Paint, screenOf } from "../terminal/screen.ts";

interface Spoken {
  readonly code: number;
  readonly text: string;
}

function ask(command: string, args: readonly string[], timeoutMs = 10_000): Promise<Spoken | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs, killSignal: "SIGKILL" });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("error", () => resolve(undefined));
    child.once("close", (code) => resolve({ code: code ?? -1, text }));
  });
}

async function compiler(): Promise<Finding> {
  const said = await ask("cc", ["--version"]);
  if (said?.code !== 0) {
    const advice =
      "install one (Debian: apt-get install gcc libc6-dev) or tune on another machine's farm with --tracker host:port";
    return { name: "C compiler", state: "missing", detail: "no cc on the path", advice };
  }
  const directory = await mkdtemp(join(tmpdir(), "warpfarm-doctor-"));
  try {
    const source = join(directory, "t.c");
    await writeFile(
      source,
      "#include <omp.h>\n#include <math.h>\nint t(void) { return omp_get_max_threads() + (int)sqrtf(4.0f); }\n",
    );
    const built = await ask("cc", ["-shared", "-fPIC", "-fopenmp", "-o", join(directory, "t.so"), source, "-lm"]);
    if (built?.code === 0) return { name: "C compiler", state: "ok", detail: `${firstLine(said.text)}, with OpenMP` };
    const advice = "install the compiler's OpenMP library and C headers (Debian: apt-get install gcc libc6-dev libgomp1)";
    return {
      name: "C compiler",
      state: "missing",
      detail: `cc cannot build OpenMP code: ${firstLine(built?.text ?? "")}`,
      advice,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function tool(name: string, command: string, args: readonly string[], use: string, pick = /.*/): Promise<Finding> {
  const said = await ask(command, args);
  if (said?.code !== 0) return { name, state: "absent", detail: `no ${command} on the path`, advice: use };
  const line = said.text.split("\n").find((text) => text.trim() !== "" && pick.test(text));
  return { name, state: "ok", detail: (line ?? firstLine(said.text)).trim() };
}

async function libraryFolders(env: CliContext["env"]): Promise<string[]> {
  const machine = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const cuda = [env.CUDA_HOME, env.CUDA_PATH, "/usr/local/cuda"].filter((folder) => folder !== undefined);
  const fromPath = (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => existsSync(join(folder, "nvcc")))
    .map(dirname);
  const toolkits = [...cuda, ...fromPath].flatMap((root) => [join(root, "lib64"), join(root, "targets/x86_64-linux/lib")]);
  return [
    ...(env.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean),
    ...toolkits,
    `/usr/lib/${machine}`,
    `/lib/${machine}`,
    "/usr/lib64",
    "/usr/lib",
  ];
}

async function library(env: CliContext["env"], name: string, file: RegExp, use: string): Promise<Finding> {
  for (const folder of await libraryFolders(env)) {
    const found = (await readdir(folder).catch(() => [])).find((entry) => file.test(entry));
    if (found) return { name, state: "ok", detail: join(folder, found) };
  }
  return { name, state: "absent", detail: "not found", advice: use };
}

const canConnect = (host: string, port: number, timeoutMs: number): Promise<true | string> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (result: true | string) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end(`no answer within ${timeoutMs} ms`));
    socket.once("connect", () => end(true)).once("error", (error) => end(error.message));
  });

/** The workers of the tracker. Throws as a command would. */
async function workersAt(channel: ChannelOptions, { signal }: CliContext): Promise<string> {
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(channel);
  const { nodes } = await reaching(channel.address, tracker.farm.listNodes({ signal }));
  const live = (asked: "runner" | "builder") => nodes.filter(({ role, state }) => role === asked && state !== "LOST").length;
  return `${countWords(live("runner"), "runner")}, ${countWords(live("builder"), "builder")}`;
}

/** Asks the named tracker, or this machine's, which may be absent. */
async function tracker(context: CliContext, channel: ChannelOptions, named: boolean): Promise<Finding> {
  const answers = await Promise.all(
    channel.address.split(",").map(async (where) => {
      const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(where.trim()) ?? [];
      return { where, answer: await canConnect(host, Number(port), 3000) };
    }),
  );
  const silent = answers.flatMap(({ where, answer }) => (answer === true ? [] : [`${where}: ${answer}`]));
  const found = answers.find(({ answer }) => answer === true);
  const state = named ? "missing" : "absent";
  const needless = "not needed: tune starts a temporary farm; warpfarm tracker starts a permanent one";
  if (!found) {
    return { name: "tracker", state, detail: silent.join("; "), advice: named ? "start it, or correct the address" : needless };
  }
  const rest = silent.length === 0 ? "" : ` (not ${silent.join("; ")})`;
  const { where } = found;
  try {
    const workers = await workersAt({ ...channel, address: where }, context);
    return { name: "tracker", state: "ok", detail: `${where} answers${rest}: ${workers}; warpfarm nodes lists them` };
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
    const advice = named ? "check the address, --tls-ca and --token-file, and read the tracker's log" : needless;
    return { name: "tracker", state, detail: `${error.message}${rest}`, advice };
  }
}

async function directory(name: string, path: string, variable: string): Promise<Finding> {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const writable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable)
    return {
      name,
      state: "missing",
      detail: `${path}: ${existing} is not writable`,
      advice: `change its rights, or name another by ${variable}`,
    };
  return { name, state: "ok", detail: existing === path ? path : `${path} (made when needed)` };
}

export async function findings(context: CliContext, settings: Settings, channel: ChannelOptions): Promise<Finding[]> {
  const { env } = context;
  const checks = await Promise.all([
    compiler(),
    context.probeMachine(settings),
    tool("nvcc", "nvcc", ["--version"], "only for compiling CUDA text ahead of time", /release/),
    library(env, "NVRTC", /^libnvrtc\.so(\.\d+)*$/, "only for building CUDA kernels: install the CUDA toolkit's NVRTC"),
    library(env, "CUDA driver", /^libcuda\.so(\.\d+)*$/, "only for measuring on a GPU of this machine: install NVIDIA's driver"),
    tool("kubectl", "kubectl", ["version", "--client"], "only for running a farm on Kubernetes"),
    tracker(context, channel, settings.tracker !== undefined),
    directory("data directory", settings.dataDir, "WARPFARM_DATA_DIR"),
    directory("cache directory", settings.cacheDir, "WARPFARM_CACHE_DIR"),
  ]);
  const processors = cpus();
  const machine: Finding[] = [
    { name: "Node", state: "ok", detail: `${process.version}, ${process.platform} ${process.arch}` },
    { name: "CPU", state: "ok", detail: `${processors[0]?.model ?? "unknown"}, ${processors.length} logical cores` },
    { name: "config file", state: existsSync(settings.configFile) ? "ok" : "absent", detail: settings.configFile },
  ];
  return [...machine, ...checks.flat()];
}

const marks: Record<Finding["state"], string> = { ok: "ok     ", absent: "absent ", missing: "MISSING" };
const paints: Record<Finding["state"], Paint> = { ok: "good", absent: "faint", missing: "bad" };

export const register: RegisterCommand = (program, context) => {
  const command = program.command("doctor");
  takes(command, ...connection, "json").action(async (flags: FarmFlags & { readonly json?: boolean }) => {
    const read = await readSettings(context);
    const settings = { ...read, ...defined({ tracker: flags.tracker }) };
    const all = await findings(context, settings, channelHere(flags, read, context));
    const missing = all.filter((finding) => finding.state === "missing");
    if (flags.json) context.stdout.write(`${JSON.stringify({ ok: missing.length === 0, checks: all })}\n`);
    else {
      const { width, paint } = screenOf(context);
      for (const { name, state, detail, advice } of all) {
        const text = hanging(`${marks[state]}  `, `${name}: ${detail}${advice === undefined ? "" : ` - ${advice}`}`, width);
        context.stdout.write(text.replace(marks[state], (mark) => paint(paints[state], mark)));
      }
    }
    if (missing.length === 0) return;
    const names = missing.map((finding) => finding.name).join(", ");
    const code = missing.some((finding) => finding.name === "tracker") ? exitCode.farmLost : exitCode.checkFailed;
    if (flags.json) context.setExitCode(code);
    else throw new CliError(code, `missing: ${names}`);
  });
};
