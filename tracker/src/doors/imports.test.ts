import { FarmError, ManualClock } from "@warpfarm/common";
import { expect, it } from "vitest";
import { Imports } from "./imports.ts";

function opened(most: number) {
  const clock = new ManualClock(0);
  const sums = new Map<string, number>();
  const asked: unknown[] = [];
  let away = false;
  const query = async (_sql: string, [principal]: readonly unknown[] = []) => {
    asked.push(principal);
    if (away) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
    return [{ bytes: sums.get(String(principal)) ?? 0 }] as never;
  };
  const setAway = (is: boolean) => {
    away = is;
  };
  return { imports: new Imports({ query }, most, clock), clock, sums, asked: () => asked.splice(0), setAway };
}

it("a principal imports as many bytes as the limit and not one more, by the store and since; another has its own", async () => {
  const { imports, sums, asked } = opened(100);
  sums.set("ada", 40);
  await Promise.all([imports.take("ada", 30), imports.take("ada", 20)]); // one sum serves both
  await imports.take("ada", 10);
  await expect(imports.take("ada", 1)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  await imports.take("ada", 0);
  await imports.take("bob", 100);
  await imports.take("local", 1_000);
  expect(asked()).toEqual(["ada", "bob"]);
});

it("the store is asked again after a minute, when records were deleted or others came, and at once when it was away", async () => {
  const { imports, clock, sums, asked, setAway } = opened(100);
  await imports.take("ada", 100);
  clock.advance(60_000);
  await expect(imports.take("ada", 1)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  expect(asked()).toEqual(["ada"]);
  clock.advance(1);
  setAway(true);
  await expect(imports.take("ada", 1)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  setAway(false);
  sums.set("ada", 60);
  await imports.take("ada", 40);
  await expect(imports.take("ada", 1)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  expect(asked()).toEqual(["ada", "ada"]);
});
