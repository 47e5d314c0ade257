/** How runners tell principals apart: by a tag in each run job, over real loopback gRPC. */
import { pino } from "pino";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner, runOf } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { Secrets } from "../src/doors/secrets.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";

const { farm } = useFarms();
const lines = ["client alice", "client bob", "builder maker", "runner racer"]
  .map((words) => `${words} sha256:${hashOf(`token-of-${words.split(" ")[1]}`)}`)
  .join("\n");

it("jobs of one principal have one tag, in all its sessions; those of another have another, and none has a name", async () => {
  const f = await farm({ doors: new TokenDoors(parseTokenFile(lines)), log: pino({ level: "silent" }) });
  f.start(builder(f.address, undefined, 4, "token-of-maker"));
  const racer = f.start(runner(f.address, 1, undefined, { token: "token-of-racer" }));
  const tags: string[] = [];
  for (const [i, name] of ["alice", "bob", "alice"].entries()) {
    const c = f.client(`token-of-${name}`);
    await c.open();
    c.stream();
    c.send(1, programOf(`program ${i}`));
    await until(() => c.results.size === 1, "the result");
    tags.push(runOf(racer.jobs.at(-1)).owner);
    await c.finish();
  }
  const [alice, bob, again] = tags;
  expect(again).toBe(alice);
  expect(bob).not.toBe(alice);
  for (const tag of tags) expect(tag).toMatch(/^[\w-]{22}$/);
});

it("a tag is the same at every tracker of a farm, and another on another farm", () => {
  const of = (key: number) => new Secrets(new Uint8Array(32).fill(key), (length) => new Uint8Array(length));
  expect(of(1).ownerTag("alice")).toBe(of(1).ownerTag("alice"));
  expect(of(1).ownerTag("alice")).not.toBe(of(2).ownerTag("alice"));
});
