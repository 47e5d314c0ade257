import { expect, it } from "vitest";
import { fittingTarget, usualTarget } from "./fitting-target.ts";

it("is the device's key where that will do, else the name that has what is needed", () => {
  const hopper = [{ kind: "cuda", from: 90, to: 90, features: ["a"] }];
  expect(fittingTarget([{ kind: "cuda" }], "cuda/sm_90")).toBe("cuda/sm_90");
  expect(fittingTarget(hopper, "cuda/sm_90")).toBe("cuda/sm_90a");
  expect(fittingTarget([{ kind: "cpu" }, ...hopper], "cuda/sm_90")).toBe("cuda/sm_90a");
  // The first need is preferred.
  expect(fittingTarget([...hopper, { kind: "cuda" }], "cuda/sm_90")).toBe("cuda/sm_90a");
  expect(fittingTarget([...hopper, { kind: "cuda" }], "cuda/sm_80")).toBe("cuda/sm_80");
  expect(fittingTarget([{ kind: "cpu", to: 2 }], "cpu/x86-64-v4")).toBe("cpu/x86-64-v2");
  // Whose refusal says what is needed.
  expect(fittingTarget(hopper, "cuda/sm_100")).toBe("cuda/sm_100");
});

it("without a device is the usual one's, or the least that is needed", () => {
  expect(usualTarget([{ kind: "cuda", from: 80 }], "cuda/sm_90")).toBe("cuda/sm_90");
  expect(usualTarget([{ kind: "cuda", from: 100, features: ["a"] }], "cuda/sm_90")).toBe("cuda/sm_100a");
  expect(usualTarget([{ kind: "cuda", from: 80 }], "cuda/sm_75")).toBe("cuda/sm_80");
});
