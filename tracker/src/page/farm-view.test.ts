import { insertRecords } from "@warpfarm/records";
import { expect, it } from "vitest";
import { record } from "../../../test-support/record-store-contract.ts";
import { openPglite } from "../store/pglite.ts";
import { readObserved } from "./farm-view.ts";

it("what the page shows of a device comes from measurements of this farm, whatever somebody imported of it", async () => {
  await using db = await openPglite("memory");
  const lie = record("lie", {
    origin: { kind: "imported", by: "eve", format: "csv" },
    timestampMs: Date.now(),
    observations: { temperatureC: 900 },
  });
  const others = Array.from({ length: 300 }, (_, i) => ({ ...lie, id: `lie/${i}` }));
  await db.transaction((tx) => insertRecords(tx, [record("a", { observations: { temperatureC: 40 } }), lie, ...others]));
  expect([...(await readObserved(db))]).toEqual([["GPU-1", { temperatureC: 40 }]]);
});
