import { systemClock } from "@warpfarm/common";
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
