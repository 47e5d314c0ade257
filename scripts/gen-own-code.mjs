/**
 * Writes the node's own kernels for processors, runner/own/own-ARCH.so, from runner/src/device/cpu/own.c:
 * `node scripts/gen-own-code.mjs [--check] [x86-64] [arm64]`. Needs gcc for the architecture: `cc` at home, Debian's cross
 * compilers elsewhere.
 * --check writes nothing: exit 1 when a committed file differs (same gcc and binutils only: another version makes other code).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../runner/${path}`, import.meta.url));
const architectures = {
  "x86-64": { node: "x64", cross: "x86_64-linux-gnu-gcc", flags: ["-march=x86-64", "-fcf-protection=none"] },
  // Pages of this architecture have up to 64 KiB.
  arm64: { node: "arm64", cross: "aarch64-linux-gnu-gcc", flags: ["-march=armv8-a", "-Wl,-z,max-page-size=65536"] },
};
const plain = [
  ["-O2", "-std=c11", "-shared", "-fPIC", "-ffreestanding", "-nostdlib"],
  // The answer is that of rounding each step, and no call of memset may come of a loop.
  ["-ffp-contract=off", "-fno-tree-loop-distribute-patterns"],
  ["-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-s"],
  ["build-id=none", "z,noseparate-code", "z,noexecstack", "z,norelro", "z,now", "hash-style=gnu"].map((word) =>
    word.startsWith("z,") ? `-Wl,-${word}` : `-Wl,--${word}`,
  ),
].flat();

function generate(name) {
  const { node, cross, flags } = architectures[name];
  const scratch = mkdtempSync(join(tmpdir(), "warpfarm-own-"));
  try {
    const out = join(scratch, "own.so");
    execFileSync(arch() === node ? "cc" : cross, [...plain, ...flags, "-o", out, at("src/device/cpu/own.c")]);
    return readFileSync(out);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const asked = process.argv.slice(2).filter((word) => word in architectures);
for (const name of asked.length > 0 ? asked : Object.keys(architectures)) {
  const code = generate(name);
  const target = at(`own/own-${name}.so`);
  if (!process.argv.includes("--check")) writeFileSync(target, code);
  else if (!readFileSync(target).equals(code)) {
    console.error(`own-${name}.so is not what own.c gives: run node scripts/gen-own-code.mjs`);
    process.exitCode = 1;
  }
}
