/** The command that continues a run: everything with which its log must agree, and how its farm is reached. */
import { expect, test } from "vitest";
import type { TuneFlags } from "../commands/tune.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { resumeCommand } from "./resume-command.ts";
import type { FarmRun } from "./tune-on-farm.ts";

const line = (flags: TuneFlags, embedded = false) =>
  resumeCommand(
    { cwd: "/work" },
    { task: { word: "toy", args: [1, "a b"] }, key: "cpu/arm64", flags, logPath: "/work/logs/t.jsonl" } as unknown as FarmRun,
    { channel: { address: "farm:1,other:2" }, embedded: embedded ? {} : undefined } as unknown as FarmAccess,
  );

test("says every flag that decides what is proposed or where it runs", () => {
  const flags = {
    target: "cpu/arm64",
    tuner: "xgb",
    seed: 7,
    trials: 12,
    features: "curve",
    transfer: ["a.jsonl", "it's.jsonl"],
    tlsCa: "ca.pem",
    tokenFile: "my token",
    where: "memory>=40GB",
    keep: "private",
  } as const;
  expect(line(flags)).toBe(
    `npx warpfarm tune toy --args '[1,"a b"]' --target cpu/arm64 --tuner xgb --seed 7 --trials 12 --keep private --features curve ` +
      "--tracker farm:1,other:2 --tls-ca ca.pem --token-file 'my token' --where 'memory>=40GB' " +
      "--transfer a.jsonl 'it'\\''s.jsonl' --log logs/t.jsonl --resume",
  );
});
test("of a farm of its own the device, and the defaults by their values", () => {
  expect(line({ device: "cuda:1" }, true)).toBe(
    `npx warpfarm tune toy --args '[1,"a b"]' --tuner auto --seed 0 --trials 64 --device cuda:1 --log logs/t.jsonl --resume`,
  );
});
