/** The systemd units, verified by systemd itself where it is installed. kubelet/systemd.test.ts starts their commands. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { at } from "./places.ts";

const folder = at("deploy/systemd/");
const units = readdirSync(folder).filter((name) => name.endsWith(".service"));
const textOf = (name: string): string => readFileSync(folder + name, "utf8");
const valuesOf = (text: string, key: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

test("there are a tracker, a builder, a runner for each device, and one that searches suites", () =>
  expect(units).toEqual([
    "warpfarm-builder.service",
    "warpfarm-runner@.service",
    "warpfarm-suite.service",
    "warpfarm-tracker.service",
  ]));

describe.each(units)("%s", (name) => {
  const text = textOf(name);

  test("does not count its end by SIGTERM as a failure, and waits for it longer than it takes", () => {
    expect(valuesOf(text, "SuccessExitStatus")).toEqual(["143"]);
    expect(Number(valuesOf(text, "TimeoutStopSec")[0])).toBeGreaterThanOrEqual(15);
    // Its children are its own to end, and systemd kills what is left of them.
    expect(valuesOf(text, "KillMode")).toEqual(["mixed"]);
  });

  test("lets V8 have its memory keys, a worker's children their sandbox, and refuses other system calls without ending the process", () => {
    const sandbox = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp";
    const worker = /builder|runner/.test(name);
    expect(valuesOf(text, "SystemCallFilter")).toEqual([`@system-service @pkey${worker ? ` ${sandbox}` : ""}`]);
    expect(valuesOf(text, "SystemCallErrorNumber")).toEqual(["EPERM"]);
  });

  test("README.md makes the files it reads", () => {
    const readme = readFileSync(at("deploy/README.md"), "utf8");
    const required = valuesOf(text, "EnvironmentFile").filter((path) => !path.startsWith("-"));
    for (const path of [...required, ...valuesOf(text, "LoadCredential").map((value) => value.split(":")[1] ?? "")])
      expect(readme).toContain(path);
  });
});

describe("systemd-analyze", () => {
  /** Units as systemd would find them, with a program that exists. */
  function analyze(change: (text: string) => string, ...words: readonly string[]) {
    const directory = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
    try {
      const paths = units.map((name) => join(directory, name));
      for (const [i, name] of units.entries())
        writeFileSync(paths[i] ?? "", change(textOf(name)).replace("/usr/local/bin/warpfarm", process.execPath));
      const { status, stderr, stdout } = spawnSync("systemd-analyze", [...words, ...paths], { encoding: "utf8" });
      const ours = `${stdout}\n${stderr}`.split("\n").filter((line) => /warpfarm/.test(line));
      return { status, ours };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  test("verify finds nothing to say; it does about a misspelt setting", (ctx) => {
    needs(ctx, "systemd");
    expect(analyze((text) => text, "verify", "--man=no").ours).toEqual([]);
    expect(analyze((text) => text.replace("ProtectHome=", "ProtectsHome="), "verify", "--man=no").ours.join()).toMatch(
      /ProtectsHome/,
    );
  });

  test("security: little is exposed", (ctx) => {
    needs(ctx, "systemd");
    for (const unit of units) {
      const file = folder + unit;
      // Exits with 1 above the threshold, which is in tenths of a point.
      execFileSync("systemd-analyze", ["security", "--no-pager", "--offline=true", "--threshold=25", file], { stdio: "pipe" });
    }
  });
});
