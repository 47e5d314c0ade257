/** The network of the cluster: that pods which come and go take nothing from those that stay. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostMac, inNetworkOf, Network, type PodNetwork } from "./network.ts";

const directory = mkdtempSync(join(tmpdir(), "warpfarm-network-"));
let network: Network;
beforeAll(async () => {
  network = await Network.open(directory);
});
afterAll(async () => {
  await network?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** What a pod that knows nothing yet learns as the hardware address of its gateway. */
function gatewayOf({ pid }: PodNetwork): string {
  const [program = "", ...inside] = inNetworkOf(pid);
  // Nobody listens there, and it says so.
  const ask = "ip neigh flush all; (: < /dev/tcp/10.42.0.1/9) 2> /dev/null; ip neigh show 10.42.0.1";
  const text = execFileSync(program, [...inside, "/bin/bash", "-c", ask], { encoding: "utf8", timeout: 120_000 });
  return /lladdr (\S+)/.exec(text)?.[1] ?? text;
}

test("the gateway's hardware address, which pods remember, is the same whatever pods there are", async () => {
  const first = await network.pod();
  // A bridge without an address of its own has that of its first port, and then the lowest.
  expect(gatewayOf(first)).toBe(hostMac);
  const others: PodNetwork[] = [];
  for (let i = 0; i < 8; i++) others.push(await network.pod());
  expect(others.map(gatewayOf)).toEqual(others.map(() => hostMac));
  for (const other of others) other.end();
  expect(gatewayOf(first)).toBe(hostMac);
});
