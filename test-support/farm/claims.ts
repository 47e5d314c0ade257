/** For tests of claims: programs of a template that comes with Warpfarm, who measures them, and builders that replay. */
import type { ArtifactDigest, Digest, Json, MeasureResult, ProgramBytes } from "@warpfarm/common";
import { entityOf } from "@warpfarm/compiler/language";
import { decodeManifest } from "@warpfarm/proto";
import { createTask } from "@warpfarm/templates";
import { replayClaim } from "../../builder/src/worker/replay-claim.ts";
import { TokenDoors } from "../../tracker/src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../../tracker/src/doors/token-file.ts";
import { until } from "../until.ts";
import { type Answer, build, cpu, target, timedResult } from "./scripted.ts";
import type { ScriptedClient } from "./scripted-client.ts";
import type { Told } from "./told.ts";

const roles = { alice: "client", bob: "client", admin: "admin", builder: "builder", runner: "runner" } as const;
export const tokenOf = (who: keyof typeof roles): string => `token-of-${who}`;
/** Of principals by role and name; the token of each is `token-of-NAME`. */
export const doorsOf = (principals: readonly string[]) =>
  new TokenDoors(
    parseTokenFile(principals.map((line) => `${line} sha256:${hashOf(`token-of-${line.split(" ")[1]}`)}`).join("\n")),
  );
export const claimDoors = () => doorsOf(Object.entries(roles).map(([who, role]) => `${role} ${who}`));

/** A product of square matrices. */
export function product(n: number, at = target, layout: "NN" | "NT" = "NN") {
  const task = createTask("matmul_derived", [n, n, n, "float32", layout], at);
  const programAt = (index: number): ProgramBytes => {
    const made = task.instantiate(index as never);
    if (!made.ok) throw new Error(made.error.message);
    return made.value.program;
  };
  const configAt = (index: number): string => JSON.stringify(entityOf(task.space, index as never));
  const provenance: Told = { task: task.name, args: task.args };
  return { task, programAt, configAt, provenance };
}

/** Replays as a builder does, without a child, and builds without a compiler. */
export const replaying: Answer = async (assignment, worker) =>
  assignment.job.kind === "replay" ? replayClaim(assignment.job.claim) : build(assignment, worker);

/** Measures each program in the time that the table has, or says that its answer is wrong; in one second where it has none. */
export function timing(seconds: ReadonlyMap<string, number | "wrong">): Answer {
  return async ({ job }, { tracker }) => {
    if (job.kind !== "run") throw new Error("not a run");
    const costsOf = async (artifact: ArtifactDigest) => {
      const manifest = decodeManifest(await tracker.artifacts.download(artifact as string as Digest));
      if (!manifest.ok) throw new Error(manifest.error.message);
      return seconds.get(manifest.value.program) ?? 1;
    };
    const took = await costsOf(job.artifact);
    const timed = timedResult(took === "wrong" ? 1 : took, cpu(1), job.artifact, job.attempt, job.buildMs);
    if (took === "wrong" || timed.kind !== "timed") return { kind: "run", result: failureOf(timed) };
    if (job.paired === undefined) return { kind: "run", result: timed };
    const artifacts = [job.artifact, ...job.paired.others];
    const costs = await Promise.all(artifacts.map(costsOf));
    const paired = artifacts.map((artifact, i) => ({ artifact, costs: [Number(costs[i])], number: 1 }));
    return { kind: "run", result: { ...timed, paired } };
  };
}

function failureOf({ buildMs, runMs, attempt, device }: MeasureResult): MeasureResult {
  const failed = { kind: "failed", errorNo: 5, message: "a[0] is 1 instead of 2", toolchain: "scripted" } as const;
  return { ...failed, buildMs, runMs, attempt, timestampMs: Date.now(), ...(device ? { device } : {}) };
}

export interface Sent {
  readonly program: ProgramBytes;
  readonly reference: ProgramBytes;
  /** As a line of a log has it; absent = none is told. */
  readonly config?: string;
}

/** Opens a session with these words, measures, and leaves. */
export async function measured(client: ScriptedClient, provenance: Told, sent: readonly Sent[], more = {}): Promise<void> {
  client.results.clear();
  await client.open({ check: "reference" }, { provenance, ...more });
  client.stream();
  for (const [i, { program, reference, config }] of sent.entries())
    client.raw({
      kind: "input",
      sequence: i + 1,
      program: { kind: "program", program },
      reference: { kind: "program", program: reference },
      ...(config === undefined ? {} : { proposal: { config, trial: i + 1, told: 0 } }),
    });
  await until(() => client.results.size === sent.length, "the results");
  await client.finish();
}

export const argsOf = ({ args = [] }: Told): readonly Json[] => args;
