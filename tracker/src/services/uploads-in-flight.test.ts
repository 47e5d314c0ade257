import { ManualClock, systemClock } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { UploadsInFlight } from "./uploads-in-flight.ts";

const clientNamed = (name: string): Principal => ({ name, role: "client" });

it("clients together leave a quarter of uploads and of their bytes to builders and admins, and get theirs back", () => {
  const uploads = new UploadsInFlight({ maxUploads: 8, maxUploadBytes: 8 << 20, uploadMs: 600_000 }, systemClock);
  const held = ["a", "a", "a", "b", "b"].map((name) => uploads.begin(clientNamed(name)));
  const last = uploads.begin(clientNamed("c"));
  expect(() => uploads.begin(clientNamed("c"))).toThrow(
    "clients have 6 uploads running; --quota uploads=8 of this tracker allows 6 to clients",
  );
  held[0]?.add(3 << 20);
  held[3]?.add(3 << 20);
  expect(() => last.add(1)).toThrow(
    "uploads of clients hold 6.0 MB of memory; --quota upload_mb=8 of this tracker allows 6.0 MB to clients",
  );
  using builder = uploads.begin({ name: "maker", role: "builder" });
  builder.add(2 << 20);
  expect(() => builder.add(1)).toThrow("uploads hold 8.0 MB of memory");
  using boss = uploads.begin({ name: "boss", role: "admin" });
  expect(() => uploads.begin({ name: "racer", role: "runner" })).toThrow("8 uploads are running");
  for (const one of [...held, last]) one[Symbol.dispose]();
  const again = Array.from({ length: 6 }, (_, i) => uploads.begin(clientNamed(`${i % 2}`)));
  again[0]?.add(3 << 20);
  for (const one of again) one[Symbol.dispose]();
  void boss;
});

it("a principal has half of uploads and of their bytes and not one more, and everybody's principal all; another has its own half", () => {
  const uploads = new UploadsInFlight({ maxUploads: 5, maxUploadBytes: 11, uploadMs: 600_000 }, systemClock);
  const builderNamed = (name: string): Principal => ({ name, role: "builder" });
  for (let cycle = 0; cycle < 3; cycle++) {
    const held = [1, 2, 3].map(() => uploads.begin(builderNamed("a")));
    expect(() => uploads.begin(builderNamed("a"))).toThrow(
      "a has 3 uploads running; --quota uploads=5 of this tracker allows 3 to one principal",
    );
    held[0]?.add(4);
    held[1]?.add(2);
    expect(() => held[2]?.add(1)).toThrow("uploads of a hold 0.0 MB of memory");
    const other = uploads.begin(builderNamed("b"));
    other.add(5);
    expect(() => other.add(1)).toThrow("uploads hold 0.0 MB of memory");
    for (const one of [...held, other]) one[Symbol.dispose]();
    expect(() => other.add(1)).toThrow("the upload is over");
    const all = Array.from({ length: 5 }, () => uploads.begin({ name: "local", role: "all" }));
    expect(() => uploads.begin({ name: "local", role: "all" })).toThrow("5 uploads are running");
    all[0]?.add(11);
    expect(() => all[0]?.add(1)).toThrow("uploads hold");
    for (const one of all) one[Symbol.dispose]();
  }
});

it("an upload that takes too long is ended, and one that was complete in time is not", async () => {
  const clock = new ManualClock(0);
  const uploads = new UploadsInFlight({ maxUploads: 8, maxUploadBytes: 8 << 20, uploadMs: 300_000 }, clock);
  const [slow, quick] = [uploads.begin(clientNamed("a")), uploads.begin(clientNamed("a"))];
  clock.advance(299_999);
  quick[Symbol.dispose]();
  await new Promise(setImmediate);
  expect(slow.signal.aborted).toBe(false);
  clock.advance(1);
  await new Promise(setImmediate);
  expect([slow.signal.aborted, quick.signal.aborted]).toEqual([true, false]);
  expect(slow.signal.reason).toMatchObject({
    code: "DEADLINE_EXCEEDED",
    message: "the upload was not complete after 300 s",
  });
});
