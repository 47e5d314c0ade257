/** The memory of uploads. Everything else is tested over the wire, in ../../test. */
import { digestOf, systemClock } from "@warpfarm/common";
import { expect, it } from "vitest";
import { artifactService } from "./artifact-service.ts";
import { defaultLimits, type TrackerContext } from "./context.ts";

it("refuses an upload with the first byte beyond the size it named, while its sender still sends", async () => {
  const never = { query: () => Promise.reject(new Error("not asked for")) };
  const context = { db: { ...never, lazy: never }, limits: defaultLimits, clock: systemClock };
  const service = artifactService(context as unknown as TrackerContext);
  let sent = 0;
  async function* messages() {
    yield { header: { digest: digestOf("0123456789"), size: 10 } };
    for (; sent < 100; sent++) yield { chunk: Buffer.from("01234") };
  }
  const call = { signal: new AbortController().signal, peer: "somebody", principal: { name: "local", role: "all" } };
  await expect(service.Upload(messages() as never, call as never)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "more than the 10 bytes that header.size names",
  });
  expect(sent).toBe(2);
});
