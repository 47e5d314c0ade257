/** grpc.health.v1 of a tracker whose store goes away and comes back, as probes and balancers hear it. */
import * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { livenessService } from "@warpfarm/proto";
import { service } from "grpc-health-check";
import { describe, expect, it } from "vitest";
import type { Database, Queryable } from "../src/store/database.ts";
import { useFarms } from "./farms.testing.ts";
import { freshStore, loggedErrors, until } from "./scripted.testing.ts";

const names = ["", "farm", "worker", "artifact", "admin"].map((name) =>
  name === "" ? "" : `warpfarm.${name}.v1.${name[0]?.toUpperCase()}${name.slice(1)}Service`,
);

/** The store behind a door that can be shut. */
function withDoor(store: Database) {
  let shut = false;
  const guard = <T>(go: () => Promise<T>) =>
    shut ? Promise.reject<T>(new FarmError("UNAVAILABLE", "the store cannot be reached")) : go();
  const guarded = (inner: Queryable): Queryable => ({ query: (sql, parameters) => guard(() => inner.query(sql, parameters)) });
  const data: Database = {
    ...store,
    ...guarded(store),
    lazy: guarded(store.lazy),
    transaction: (work) => guard(() => store.transaction(work)),
  };
  const setShut = (now: boolean) => {
    shut = now;
  };
  return { data, setShut };
}

describe("health", () => {
  const { farm, undo } = useFarms();
  it("of every service follows the store; the liveness of the process does not", async () => {
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
    // What dispatch and reaper said of the store meanwhile.
    expect(loggedErrors.splice(0).filter((line) => !line.includes("the store cannot be reached"))).toEqual([]);
  });
});
