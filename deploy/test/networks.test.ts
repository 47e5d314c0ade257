/**
 * Whole networks on this processor: ONNX files become suites, whose tasks are searched on a farm, the export runs with Python and
 * NumPy, and PyTorch computes the same. One trial a task in npm test, eight in the campaign.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { type Network, networks, onnxOf, weightsOf } from "./networks.testing.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import type { Place } from "./warpfarm-process.ts";

const budget = `budget: {trials: ${isFull ? 8 : 1}}
tuner: random
finalists: 0
in_flight: 3
measure: {repeat: 1, min_repeat: 1ms}
`;

/** The greatest error over the greatest output. */
function error(at: Place, { name, ...network }: Network): number {
  const values = Object.fromEntries([...weightsOf({ name, ...network })].map(([weight, data]) => [weight, [...data]]));
  writeFileSync(at.path(`${name}.json`), JSON.stringify({ ...network, values }));
  const script = new URL("networks.py", import.meta.url).pathname;
  const said = execFileSync("/usr/bin/python3", [script, at.path(`${name}.json`), at.path(`${name}.model`)], {
    encoding: "utf8",
  });
  return Number(said);
}

test("three networks are tuned, exported, and run as PyTorch computes them", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc", "numpy", "python-torch");
  await using farm = new ProcessFarm();
  await farm.start();
  const { place: at, address } = farm;
  const exported = async ({ name }: Network) => {
    const made = await command(at, ["export", name, "--plan", `${name}.plan.json`, "-o", `${name}.model`, "--json"]);
    expect(made.code, made.stderr).toBe(0);
    return (JSON.parse(made.stdout) as { readonly kernels: readonly { readonly untimed?: true }[] }).kernels;
  };
  // Side by side, because a task waits for its builds, and for its turn at the runner.
  const tuned = async (network: Network) => {
    const { name } = network;
    writeFileSync(at.path(`${name}.onnx`), onnxOf(network));
    const taken = await command(at, ["suite", "from-onnx", `${name}.onnx`, "-o", `${name}.yaml`]);
    expect(taken.code, taken.stderr).toBe(0);
    appendFileSync(at.path(`${name}.yaml`), budget);
    const ran = await command(at, ["suite", "run", `${name}.yaml`, "--dir", name, "--tracker", address, "--json"]);
    expect(ran.code, ran.stderr).toBe(0);
  };
  await Promise.all(networks.map(tuned));
  for (const network of networks) {
    expect((await exported(network)).filter(({ untimed }) => untimed)).toEqual([]);
    expect(error(at, network), network.name).toBeLessThan(2e-6);
  }
  // Without results every kernel has the config with which its search begins.
  const first = networks[0] as Network;
  rmSync(at.path(`${first.name}/logs`), { recursive: true });
  expect((await exported(first)).every(({ untimed }) => untimed)).toBe(true);
  expect(error(at, first)).toBeLessThan(2e-6);
});
