import { randomBytes } from "node:crypto";
import { toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { Secrets } from "./secrets.ts";

const key = Buffer.alloc(32, 7);
const opened = (of: Uint8Array = key) => new Secrets(of, randomBytes);
const [w, v] = [toWorkerId("w"), toWorkerId("v")];

it("a worker's secret is of its id, its epoch and the farm's key, the same at each tracker; an older one proves nothing", () => {
  const [here, there] = [opened(), opened()];
  const secrets = [here.ofWorker(w, 1), here.ofWorker(w, 2), here.ofWorker(v, 1), opened(Buffer.alloc(32, 8)).ofWorker(w, 1)];
  expect(new Set(secrets.map((secret) => secret.toString("hex"))).size).toBe(4);
  const [first, second] = secrets as [Buffer, Buffer];
  for (const epoch of [2, 1, 2]) {
    expect([here.proves(w, epoch, first), there.proves(w, epoch, second)]).toEqual([epoch === 1, epoch === 2]);
  }
  expect([here.proves(v, 1, first), here.proves(w, 1, first.subarray(1)), here.proves(w, 1, new Uint8Array())]).toEqual(
    Array(3).fill(false),
  );
});

it("names of workers and tags of principals are always the same, differ, and are not what they name", () => {
  const [here, there] = [opened(), opened()];
  expect([here.nameOf(w), here.nameOf(w), there.nameOf(w)]).toEqual(Array(3).fill(expect.stringMatching(/^w-[0-9a-f]{12}$/)));
  expect(new Set([here.nameOf(w), there.nameOf(w)]).size).toBe(1);
  expect(here.nameOf(v)).not.toBe(here.nameOf(w));
  expect([here.ownerTag("ada"), here.ownerTag("ada")]).toEqual(Array(2).fill(there.ownerTag("ada")));
  expect(here.ownerTag("ada")).toMatch(/^[\w-]{22}$/);
  expect(new Set([here.ownerTag("ada"), here.ownerTag("bob"), opened(Buffer.alloc(32, 8)).ownerTag("ada")]).size).toBe(3);
});

it("a sealed text is read for its purpose by its farm, whole, and is sealed in another way each time", () => {
  const here = opened();
  for (const text of ["", "ada", "größer als ein Block von sechzehn Bytes"]) {
    const [first, second] = [here.seal("login", text), here.seal("login", text)];
    expect(first).not.toBe(second);
    expect([opened().unseal("login", first), here.unseal("login", second)]).toEqual([text, text]);
    expect([here.unseal("other", first), opened(Buffer.alloc(32, 8)).unseal("login", first)]).toEqual([undefined, undefined]);
    const bytes = Buffer.from(first, "base64url");
    for (const at of [0, 12, bytes.length - 1]) {
      const bent = Buffer.from(bytes);
      bent[at] = (bent[at] as number) ^ 1;
      expect(here.unseal("login", bent.toString("base64url"))).toBeUndefined();
    }
    expect(here.unseal("login", bytes.subarray(0, 27).toString("base64url"))).toBeUndefined();
  }
  expect([here.unseal("login", ""), here.unseal("login", "no text of ours")]).toEqual([undefined, undefined]);
});
