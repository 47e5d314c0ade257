/** A tracker whose store goes away and comes back: what probes and balancers hear, and what its workers lose. */
import * as grpc from "@grpc/grpc-js";
import { type Clock, systemClock } from "@warpfarm/common";
import { livenessService } from "@warpfarm/proto";
import { service } from "grpc-health-check";
import { describe, expect, it } from "vitest";
import { useFarms, withDoor } from "../../test-support/farm/farms.ts";
import { builder, freshStore, loggedErrors, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const names = ["", "farm", "worker", "artifact", "admin"].map((name) =>
  name === "" ? "" : `warpfarm.${name}.v1.${name[0]?.toUpperCase()}${name.slice(1)}Service`,
);

describe("a store that goes away", () => {
  const { farm, undo } = useFarms();
  it("takes the health of every service with it, but not the liveness of the process", async () => {
    const { data, setShut } = withDoor(await freshStore());
    const { address, tracker } = await farm({ data, http: "127.0.0.1:0", limits: { storeAwayMs: 300 } });
    const client = new grpc.Client(address, grpc.credentials.createInsecure());
    undo.push(async () => client.close());
    type Method = grpc.MethodDefinition<object, { readonly status: string }>;
    const [Check, Watch] = [service.Check as Method, service.Watch as Method];
    const check = (name: string) =>
      new Promise<string | undefined>((resolve, reject) =>
        client.makeUnaryRequest(
          Check.path,
          Check.requestSerialize,
          Check.responseDeserialize,
          { service: name },
          (error, value) => (error ? reject(error) : resolve(value?.status)),
        ),
      );
    const all = () => Promise.all(names.map(check));
    const ready = async () => (await fetch(`http://127.0.0.1:${tracker.httpPort}/readyz`)).status;
    const heard: string[] = [];
    const watching = client.makeServerStreamRequest(Watch.path, Watch.requestSerialize, Watch.responseDeserialize, {
      service: "",
    });
    watching.on("data", ({ status }) => heard.push(status)).on("error", () => {});
    undo.push(async () => watching.cancel());
    await until(() => heard.length === 1, "the first status");
    expect([await all(), await ready()]).toEqual([names.map(() => "SERVING"), 200]);
    setShut(true);
    await until(() => heard.length === 2, "the store to be missed");
    expect([await all(), await ready()]).toEqual([names.map(() => "NOT_SERVING"), 503]);
    expect(await check(livenessService)).toBe("SERVING");
    setShut(false);
    await until(() => heard.length === 3, "the store to be back");
    expect([await all(), await ready()]).toEqual([names.map(() => "SERVING"), 200]);
    expect(heard).toEqual(["SERVING", "NOT_SERVING", "SERVING"]);
    // What dispatch and reaper logged about the store meanwhile.
    expect(loggedErrors.splice(0).filter((line) => !line.includes("the store cannot be reached"))).toEqual([]);
  });

  it("comes back and everybody has what they had, however long it was away", async () => {
    const store = await freshStore();
    const { data, setShut } = withDoor(store);
    let laterMs = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic() + laterMs,
      sleep: (ms, options) => systemClock.sleep(ms, options),
    };
    const { address, start, measuring, looks } = await farm({ data, clock, limits: { holdMs: 500 } });
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    setShut(true);
    await until(() => r.errors.length > 0, "the store to be missed");
    // An hour later, at the tracker and at the store, just before the runner calls again.
    await r.kill();
    laterMs = 3_600_000;
    await store.query("update leases set until = until - interval '1 hour'");
    await store.query("update workers set last_seen = last_seen - interval '1 hour'");
    const before = looks();
    setShut(false);
    await until(() => looks() > before, "a look at the store");
    expect(await store.query("select lost from workers where role = 'runner'")).toEqual([{ lost: false }]);
    expect(await store.query("select count(*)::integer as n from leases")).toEqual([{ n: 1 }]);
    expect(loggedErrors.splice(0).filter((line) => !line.includes("the store cannot be reached"))).toEqual([]);
  });
});
