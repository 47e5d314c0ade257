import { describe, expect, it } from "vitest";
import { gateOf, gateWords, type JunitCase, junitXml } from "./regression-gate.ts";

const ratio = (low: number, high: number, confidence = 0.991) => ({ estimate: (low + high) / 2, low, high, confidence });
const timed: JunitCase = {
  name: 'k ["a<b"]',
  against: "old.cu",
  seconds: 0.001,
  timestamp: new Date(0),
  outcome: gateOf(ratio(1.1, 1.2), 1.05),
};

describe("a regression gate", () => {
  it.each([
    [1.06, 1.1, 0.991, "regression"],
    [1.05, 1.1, 0.991, "undecided"],
    [0.9, 1.06, 0.991, "undecided"],
    [0.9, 1.05, 0.991, "passed"],
    [1.06, 1.1, 0.9, "undecided"],
    [0.9, 1.0, 0.9, "undecided"],
  ])("with the ratio in [%d, %d] at %d, over 1.05, has %s", (low, high, confidence, verdict) => {
    expect(gateOf(ratio(low, high, confidence), 1.05).verdict).toBe(verdict);
  });

  it("of too few rounds says how many it takes, and one that is undecided asks for more", () => {
    expect(gateWords(gateOf(ratio(1.06, 1.1, 0.9), 1.05))).toMatch(/too few rounds for a verdict: give --rounds 9 or more$/);
    expect(gateWords(gateOf(ratio(0.9, 1.06), 1.05))).toMatch(/more --rounds to narrow the interval$/);
  });

  it("is one case of JUnit's XML: failed, passed, or in error with the log", () => {
    const failed = junitXml(timed);
    expect(failed).toContain('<testsuites tests="1" failures="1" errors="0" skipped="0" time="0.001">');
    expect(failed).toContain('<testcase classname="k [&quot;a&lt;b&quot;]" name="against old.cu" time="0.001">');
    expect(failed).toMatch(
      /<failure type="regression" message="regression: 1\.1500 times .*\[1\.1000, 1\.2000\] at 99\.1 %, all of it above 1\.05"\/>/,
    );
    expect(failed).toContain('timestamp="1970-01-01T00:00:00"');
    const passed = junitXml({ ...timed, outcome: gateOf(ratio(0.9, 1), 1.05) });
    expect(passed).toContain('failures="0" errors="0"');
    expect(passed).not.toContain("<failure");
    const common = { buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 };
    const broken = junitXml({
      ...timed,
      outcome: { kind: "failed", errorNo: 5, message: "c[0] is 1 & not 2\u0001", log: "a < b", ...common },
    });
    expect(broken).toContain('failures="0" errors="1"');
    expect(broken).toContain('<error type="WRONG_ANSWER" message="c[0] is 1 &amp; not 2?">a &lt; b</error>');
  });
});
