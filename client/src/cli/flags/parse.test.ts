import { untilLimits } from "@warpfarm/records/search";
import { describe, expect, test } from "vitest";
import { stopRulesOf } from "../../search/spec-options.ts";
import { askedBy } from "../tuning/asked-search.ts";
import { address, addresses, duration, integer, json, oneOf, positive, share, target, targetOrBackend } from "./parse.ts";

describe("flag values", () => {
  test("good ones", () => {
    expect(integer("--n", -1, 10)("-1")).toBe(-1);
    expect(integer("--n", -1, 10)("-0")).toBe(0);
    expect([".5", "0.999"].map(share("--n", untilLimits))).toEqual([0.5, 0.999]);
    expect(positive("--x", 1)("1e-3")).toBe(0.001);
    expect(oneOf("--w", ["a", "b"])("b")).toBe("b");
    expect(duration("--d", { highMs: 1e6 })("1.5s")).toBe(1500);
    expect(target("--target")("cuda/sm_90a")).toBe("cuda/sm_90a");
    const good = ["127.0.0.1:1", "[::1]:9290", "[::ffff:10.0.0.1]:0", "tracker_1.example-net:65535"];
    expect(good.map((text) => address("--t")(text))).toEqual(good);
    expect([addresses("--t")("a:1"), addresses("--t")("a:1, b:2,[::1]:3")]).toEqual(["a:1", "a:1,b:2,[::1]:3"]);
  });
  test.each([
    [() => integer("--n", 1, 10)("11"), '--n is "11"; it takes an integer from 1 to 10'],
    [() => share("--n", untilLimits)("1"), '--n is "1"; it takes a share from 0.5 to 0.999'],
    [() => share("--n", untilLimits)("0.49"), '--n is "0.49"; it takes a share from 0.5 to 0.999'],
    [() => integer("--n", 1, 10)("1.5"), '--n is "1.5"; it takes an integer from 1 to 10'],
    [() => integer("--n", 1, 10)(""), '--n is ""; it takes an integer from 1 to 10'],
    [() => integer("--n", 1, 10)("0x3"), '--n is "0x3"; it takes an integer from 1 to 10'],
    [() => integer("--n", 0, 2 ** 60)("9007199254740993"), /it takes an integer/],
    [() => positive("--x", 5)("0"), '--x is "0"; it takes a number above 0, at most 5'],
    [() => positive("--x", 5)("Infinity"), /it takes a number above 0/],
    [() => oneOf("--w", ["a", "b"])("c"), '--w is "c"; it takes a, b'],
    [() => duration("--d", { highMs: 1e6 })("30"), /^--d is "30", without a unit: write 30s; it takes a time such as 500ms/],
    [() => target("--target")("cpu"), /it takes cpu\/x86-64-v1 to v4/],
    [() => targetOrBackend("--target")("gpu"), /it takes cpu\/x86-64-v1 to v4, .*, or cpu or cuda alone$/],
    [() => address("--t")("host"), /it takes host:port/],
    [() => address("--t")("host:65536"), /it takes host:port/],
    [() => address("--t")("[::1:9290"), /it takes host:port/],
    [() => addresses("--t")("host"), /^--t is "host"; it takes host:port/],
    [() => addresses("--t")("a:1,b,c:3"), /^tracker 2 of --t is "b"; it takes host:port/],
    [() => addresses("--t")("a:1,"), /^tracker 2 of --t is ""; it takes host:port/],
    [() => addresses("--t")("a:1,b:2,a:1"), '--t names "a:1" twice; it takes each tracker once'],
    [() => json("--args", "{a}"), /--args is not JSON: .*in "\{a\}"/],
  ])("refusal %#", (parse, message) => {
    expect(parse).toThrow(message);
  });
});

test("times of flags become rules of a search's end", () => {
  const { budget = {} } = askedBy({ deviceTime: 1_500, wallTime: 120_000, patience: 3 });
  expect(stopRulesOf(budget)).toEqual({ deviceSeconds: 1.5, wallSeconds: 120, patience: 3 });
});
