import { hostname, tmpdir } from "node:os";
import { expect, it } from "vitest";
import { has } from "../../../../test-support/needs.ts";
import { DeviceHost } from "../../worker/host.ts";

it("a machine without a GPU says what it lacks, in one sentence", async (ctx) => {
  if (has("gpu")) ctx.skip("there is a GPU here");
  const settings = { device: "cuda:0", threads: 1, lockDirectory: tmpdir(), addressSpaceBytes: 2 ** 40, keepBytes: 0 };
  await using host = new DeviceHost({ node: hostname(), settings });
  await expect(host.start()).rejects.toMatchObject({
    code: "FAILED_PRECONDITION",
    message: expect.stringMatching(/^device cuda:0: libcuda\.so\.1 cannot be loaded .* the NVIDIA driver brings it$/),
  });
});
