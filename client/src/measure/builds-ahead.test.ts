/** The client's side of builds ahead: what travels, what comes back, and when it stops asking. */
import { FarmError, type ProgramBytes, systemClock, toSessionId } from "@warpfarm/common";
import { type AheadState, type BuildAhead, encodeManifest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { until } from "../../../test-support/until.ts";
import { programOf } from "../session.testing.ts";
import { BuildsAhead } from "./builds-ahead.ts";

const session = toSessionId("s-1");
const [a, b, c] = ["a", "b", "c"].map(programOf) as [ProgramBytes, ProgramBytes, ProgramBytes];
const manifest = encodeManifest({
  ...{ version: 1, program: a.digest, target: "cuda/sm_90", format: "cubin", code: `sha256:${"0".repeat(64)}` as never },
  kernels: [{ name: "k", grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
  ...{ buffers: [], toolchain: "scripted", notes: [] },
  resources: { registers: 40, spill_bytes: 0, static_shared_bytes: 0 },
}).bytes;
const failed = (errorNo: 3 | 6 | 8): AheadState => ({
  kind: "failed",
  result: { kind: "failed", errorNo, message: "no", buildMs: 1, runMs: 0, timestampMs: 1, attempt: 1 },
});

/** A farm that answers by `answer`; what it was asked, as digests, `+` before those whose bytes came. */
function farmOf(answer: (request: BuildAhead, turn: number) => readonly AheadState[] | undefined) {
  const asked: string[][] = [];
  const farm = {
    async buildAhead(request: BuildAhead) {
      const names = request.programs.map((ref) => {
        const digest = ref.kind === "digest" ? ref.digest : ref.program.digest;
        return `${ref.kind === "digest" ? "" : "+"}${[a, b, c].findIndex((p) => p.digest === digest)}`;
      });
      asked.push(names);
      return answer(request, asked.length);
    },
  };
  return { farm, asked };
}
const waiting: AheadState = { kind: "waiting" };

it("sends bytes once, asks until all has ended, and gives each answer once", async () => {
  const { farm, asked } = farmOf(({ programs }, turn) =>
    programs.map((_, i) => (turn === 1 ? waiting : i === 0 ? { kind: "built", manifest } : failed(3))),
  );
  await using builds = new BuildsAhead({ farm, clock: systemClock });
  builds.want([a, b]);
  builds.inSession(session);
  const got = new Map();
  await until(() => {
    for (const [digest, facts] of builds.take()) got.set(digest, facts);
    return got.size === 2;
  }, "both answers");
  expect(asked.slice(0, 2)).toEqual([
    ["+0", "+1"],
    ["0", "1"],
  ]);
  expect(got.get(a.digest)?.resources.registers).toBe(40);
  expect(got.get(b.digest)).toBeUndefined();
  const before = asked.length;
  builds.want([a, b, c]);
  await until(() => asked.length > before, "the next question");
  expect(asked[before]).toEqual(["+2"]);
  expect(builds.take().has(a.digest)).toBe(false);
});

it("says nothing of a build that the farm could not do, or that had too little time", async () => {
  const { farm, asked } = farmOf(({ programs }) => programs.map((_, i) => failed(i === 0 ? 8 : 6)));
  await using builds = new BuildsAhead({ farm, clock: systemClock });
  builds.inSession(session);
  builds.want([a, b]);
  await until(() => asked.length > 0, "the question");
  expect(builds.take().size).toBe(0);
});

it.each([
  ["a tracker that is too old", undefined],
  ["a quota", new FarmError("RESOURCE_EXHAUSTED", "used up")],
])("asks %s once", async (_, outcome) => {
  const { farm, asked } = farmOf(() => {
    if (outcome) throw outcome;
    return undefined;
  });
  const builds = new BuildsAhead({ farm, clock: systemClock });
  builds.inSession(session);
  builds.want([a]);
  await until(() => asked.length === 1, "the question");
  builds.want([b]);
  await builds[Symbol.asyncDispose]();
  expect(asked.length).toBe(1);
});

it("sends the bytes again to a farm that does not have them any more", async () => {
  const { farm, asked } = farmOf(({ programs }, turn) => {
    if (turn === 2) throw new FarmError("NOT_FOUND", "program is not here");
    return programs.map(() => waiting);
  });
  await using builds = new BuildsAhead({ farm, clock: systemClock });
  builds.inSession(session);
  builds.want([a]);
  await until(() => asked.length >= 3, "three questions");
  expect(asked.slice(0, 3)).toEqual([["+0"], ["0"], ["+0"]]);
});
