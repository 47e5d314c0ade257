/**
 * Whole networks on this processor: ONNX files become suites, whose tasks are searched on a farm, the export runs with Python and
 * NumPy, and PyTorch computes the same. npm test takes the first network, with one trial a task; client/src/model/capture.test.ts
 * holds kernels of the operators of the others to PyTorch without a farm. The campaign takes all, with eight trials.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
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

/** Of each network and folder of an export the greatest error over the greatest output. */
function errors(at: Place, exports: readonly (readonly [Network, folder: string])[]): readonly number[] {
  const words = exports.flatMap(([network, folder]) => {
    const values = Object.fromEntries([...weightsOf(network)].map(([weight, data]) => [weight, [...data]]));
    const file = at.path(`${network.name}.json`);
    writeFileSync(file, JSON.stringify({ ...network, values }));
    return [file, at.path(folder)];
  });
  const script = new URL("networks.py", import.meta.url).pathname;
  const said = execFileSync("/usr/bin/python3", [script, ...words], { encoding: "utf8" });
  return said.trim().split("\n").map(Number);
}

test("networks are tuned, exported, and run as PyTorch computes them", { timeout: 900_000 }, async (ctx) => {
  needs(ctx, "cc", "numpy", "python-torch");
  const tried = some(networks, 0);
  await using farm = new ProcessFarm();
  await farm.start();
  const { place: at, address } = farm;
  const exported = async ({ name }: Network, folder: string) => {
    const made = await command(at, ["export", name, "--plan", `${name}.plan.json`, "-o", folder, "--json"]);
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
  await Promise.all(tried.map(tuned));
  const folders = tried.map((network) => [network, `${network.name}.model`] as const);
  for (const one of folders) expect((await exported(...one)).filter(({ untimed }) => untimed)).toEqual([]);
  // Without results every kernel has the config with which its search begins.
  const [first] = tried as [Network];
  rmSync(at.path(`${first.name}/logs`), { recursive: true });
  expect((await exported(first, "untimed")).every(({ untimed }) => untimed)).toBe(true);
  const worst = errors(at, [...folders, [first, "untimed"]]);
  expect(worst.length).toBe(tried.length + 1);
  for (const [i, error] of worst.entries()) expect(error, `export ${i}`).toBeLessThan(2e-6);
});
