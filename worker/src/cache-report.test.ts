import { toArtifactDigest } from "@warpfarm/common";
import { expect, test } from "vitest";
import { CacheReport } from "./cache-report.ts";

const [a, b] = ["a", "b"].map((hex) => toArtifactDigest(`sha256:${hex.repeat(64)}`)) as [
  ReturnType<typeof toArtifactDigest>,
  ReturnType<typeof toArtifactDigest>,
];

test("the latest change of an artifact counts, in either order", () => {
  const report = new CacheReport();
  report.collect({ added: [a, b], dropped: [] });
  report.collect({ added: [], dropped: [a] });
  expect(report.untold()).toEqual({ added: [b], dropped: [a] });
  report.collect({ added: [a], dropped: [b] });
  expect(report.untold()).toEqual({ added: [a], dropped: [b] });
});

test("what was told is told no more, what came meanwhile still is, and an artifact that comes again is told again", () => {
  const report = new CacheReport();
  report.collect(undefined);
  for (let round = 0; round < 2; round++) {
    report.collect({ added: [a], dropped: [] });
    const told = report.untold();
    report.collect({ added: [b], dropped: [] });
    report.told(told);
    expect(report.untold()).toEqual({ added: [b], dropped: [] });
    report.told(report.untold());
    report.collect({ added: [], dropped: [a, b] });
    report.told({ added: [], dropped: [a] });
    expect(report.untold()).toEqual({ added: [], dropped: [b] });
    report.told(report.untold());
    expect(report.untold()).toEqual({ added: [], dropped: [] });
  }
});
