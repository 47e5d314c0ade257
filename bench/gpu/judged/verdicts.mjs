/** Measures as a judged job does, and says which defence stopped a kernel. */
import { randomBytes } from "node:crypto";

/** The session's secret: one for all, as in a session of one client. */
const secret = randomBytes(32).toString("hex");

/** `audits`: whether each time is audited, or none. */
export const measuredBy = (host, artifact, reference, { isJudged, audits = true, ...options }) => {
  const judged = { secret, leaseSecret: randomBytes(32).toString("hex"), ...(audits ? {} : { auditBelowMs: 0 }) };
  return host.run(artifact, reference, { ...options, ...(isJudged ? { judged: true } : {}) }, isJudged ? { judged } : {});
};

/** `build` and `result`: what the builder and the runner said. */
export function stopOf(build, result, isJudged) {
  if (build.refused) return "build";
  if (result.kind === "timed") return result.judged?.not === undefined ? "passes" : `not judged: ${result.judged.not}`;
  if (result.kind !== "failed") return result.kind;
  const { errorNo, rule = "" } = result;
  if (rule === "out_of_bounds_write") return "guards";
  if (rule.endsWith("task.trivial")) return "task";
  if (rule === "structure" || rule === "races" || rule === "clocks") return rule;
  if (rule === "CHEAT_SUSPECTED" || rule.startsWith("audit")) return "audit";
  if (errorNo === 5) return rule.startsWith("judged") || isJudged ? "judged" : "check";
  return "device";
}

/** A judged repeat notices what a plain check does, and each defence of a judged session all that follow. */
export function isAsExpected(stop, expected) {
  const named = expected.split(", ");
  return (
    named.includes(stop) ||
    (stop === "judged" && named.includes("check")) ||
    (stop.startsWith("not judged") && named.includes("judged"))
  );
}
