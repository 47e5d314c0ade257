/** The artifact service over real loopback gRPC. */
import { toDigest } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { codeOf, useFarms } from "./farms.testing.ts";

const { farm } = useFarms();

describe("artifacts", () => {
  it("go up and down by digest; wrong bytes and unknown digests are refused", async () => {
    const { client } = await farm({ limits: { maxBlobBytes: 3_000_000 } });
    const { artifacts } = client().tracker;
    const bytes = Buffer.alloc(1_700_000, "abc");
    const digest = await artifacts.upload(bytes);
    expect(await artifacts.upload(bytes)).toBe(digest);
    expect(Buffer.from(await artifacts.download(digest)).equals(bytes)).toBe(true);
    const other = toDigest(`sha256:${"f".repeat(64)}`);
    expect([...(await artifacts.stat([digest, other]))]).toEqual([[digest, 1_700_000]]);
    expect(await codeOf(artifacts.download(other))).toMatchObject({ code: "NOT_FOUND" });
    expect(await codeOf(artifacts.upload(Buffer.alloc(3_000_001)))).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("at most 3000000"),
    });
    expect(await artifacts.upload(Buffer.alloc(0))).toMatch(/^sha256:e3b0/);
  });
});
