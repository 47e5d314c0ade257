/**
 * What a test may need and a machine may lack. A missing need skips the test and prints the reason. If WARPFARM_REQUIRE
 * (comma-separated, set by .ci/run) names the need, the test fails instead, so that no skip stays unnoticed there.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const answers = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Debian 12's kubectl is too old for the manifests and does not print the version of its kustomize. */
function kubectlWithKustomize(): boolean {
  try {
    return execFileSync("kubectl", ["version", "--client", "--output=json"], { encoding: "utf8" }).includes("kustomizeVersion");
  } catch {
    return false;
  }
}

/** Debian's packages are installed for Debian's Python, whichever Python is first on the PATH. */
const pythonGrpc = (): boolean =>
  answers("/usr/bin/python3", "-c", "import grpc, google.protobuf") &&
  answers("protoc", "--version") &&
  ["/usr/bin/grpc_python_plugin", "/usr/include/google/protobuf/duration.proto"].every((path) => existsSync(path));

const checks = {
  cc: { present: () => answers("cc", "--version"), lack: "no C compiler (cc) on the PATH" },
  "c++": { present: () => answers("c++", "--version"), lack: "no C++ compiler (c++) on the PATH" },
  cmake: { present: () => answers("cmake", "--version"), lack: "no cmake on the PATH" },
  python3: { present: () => answers("python3", "--version"), lack: "no python3 on the PATH" },
  nvcc: { present: () => answers("nvcc", "--version"), lack: "no nvcc on the PATH" },
  kubectl: { present: kubectlWithKustomize, lack: "no kubectl of 1.24 or later on the PATH" },
  promtool: { present: () => answers("promtool", "--version"), lack: "no promtool on the PATH (Debian's package prometheus)" },
  slurm: {
    present: () => ["slurmctld", "slurmd", "munged"].every((daemon) => answers("which", daemon)),
    lack: "no Slurm (slurmctld, slurmd, munged: Debian's packages slurm-wlm and munge)",
  },
  systemd: { present: () => answers("systemd-analyze", "--version"), lack: "no systemd-analyze on the PATH" },
  openssl: { present: () => answers("openssl", "version"), lack: "no openssl on the PATH" },
  "python-grpc": { present: pythonGrpc, lack: "no Python with gRPC, or no protoc with its Python plugin (see .ci/run)" },
  "python-wheel": {
    present: () => answers("/usr/bin/python3", "-c", "import setuptools, wheel") && answers("protoc", "--version"),
    lack: "no Python with setuptools and wheel (Debian: python3-setuptools python3-wheel), or no protoc",
  },
  "python-venv": {
    present: () => answers("/usr/bin/python3", "-c", "import ensurepip"),
    lack: "no Python that makes virtual environments (Debian: python3-venv)",
  },
  numpy: {
    present: () => answers("/usr/bin/python3", "-c", "import numpy"),
    lack: "no NumPy of Debian's Python (python3-numpy)",
  },
  "python-torch": {
    present: () => answers("/usr/bin/python3", "-c", "import torch"),
    lack: "no PyTorch of Debian's Python (python3-torch)",
  },
  postgres: {
    present: () => existsSync("/usr/lib/postgresql") && readdirSync("/usr/lib/postgresql").length > 0,
    lack: "no PostgreSQL server under /usr/lib/postgresql",
  },
  bubblewrap: {
    present: () =>
      answers(
        "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--unshare-net",
        "--ro-bind",
        "/",
        "/",
        "--",
        "/bin/sh",
        "-c",
        "exit 0",
      ),
    lack: "no bubblewrap (bwrap) on the PATH, or it may not make namespaces",
  },
  chromium: { present: () => existsSync("/usr/bin/chromium"), lack: "no Chromium (Debian's package chromium)" },
  "io-counters": { present: () => existsSync("/proc/self/io"), lack: "no counters of reads (/proc/self/io of Linux)" },
  gpu: { present: () => existsSync("/dev/nvidiactl"), lack: "no NVIDIA GPU here" },
} as const;
/** Needs that only the code under test can check and report as missing. */
const told = {
  nvrtc: "no NVRTC (libnvrtc of a CUDA toolkit)",
  nvcc: checks.nvcc.lack,
  landlock: "no Landlock in this kernel",
} as const;

export type Need = keyof typeof checks;
const known = new Map<Need, boolean>();

export function has(need: Need): boolean {
  let present = known.get(need);
  if (present === undefined) {
    present = checks[need].present();
    known.set(need, present);
  }
  return present;
}

interface Context {
  skip(note?: string): never;
}

/** First line of a test: `needs(ctx, "nvcc")`. */
export function needs(ctx: Context, ...all: readonly Need[]): void {
  for (const need of all) if (!has(need)) skip(ctx, need, checks[need].lack);
}

/** In a test that looked for a need by itself, in vain. */
export const lacks = (ctx: Context, need: keyof typeof told): never => skip(ctx, need, told[need]);

function skip(ctx: Context, need: string, lack: string): never {
  const required = (process.env.WARPFARM_REQUIRE ?? "").split(",");
  if (required.includes(need)) throw new Error(`${lack}, and WARPFARM_REQUIRE asks for it`);
  return ctx.skip(lack);
}
