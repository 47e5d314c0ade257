import { expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { freshStore } from "../../test-support/farm/scripted.ts";
import { everyAcceptedIsRecorded } from "./recordable.testing.ts";

it("whatever the door accepts becomes a record, which reads back as it was told", async () => {
  const samples = isFull ? 1_000 : 100;
  const accepted = await everyAcceptedIsRecorded(await freshStore(), samples);
  expect(accepted).toBeGreaterThan(samples / 20);
  expect(accepted).toBeLessThan(samples);
}, 120_000);
