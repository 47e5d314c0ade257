/**
 * A command's complete output reaches a reader of its pipe, however slow; a reader that closes the pipe ends the command.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { bin, Place, run } from "./warpfarm-process.ts";

const lower = ["lower", "conv2d_splitk", "--target", "cuda/sm_90", "--index", "published"];

function place(): Place {
  const made = new Place();
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}

test("a reader that begins late gets more than a pipe holds", { timeout: 120_000 }, async () => {
  const whole = (await run(place(), [...lower, "--json"])).stdout;
  expect(whole.length).toBeGreaterThan(100_000);
  const child = spawn("sh", ["-c", '"$@" | (sleep 1; wc -c)', "sh", process.execPath, bin(), ...lower, "--json"], {
    env: place().env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let counted = "";
  child.stdout.on("data", (chunk: Buffer) => {
    counted += chunk.toString();
  });
  await once(child, "close");
  expect(Number(counted)).toBe(whole.length);
});

test("a reader that is gone lets the command end", { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, [bin(), ...lower], { env: place().env, stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "readable");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  expect(typeof code).toBe("number");
});
