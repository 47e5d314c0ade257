import { err, measureErrorNo, ok, systemClock } from "@warpfarm/common";
import { compileProgram, decodeProgram, LoweringLog } from "@warpfarm/compiler";
import { replayClaim } from "./replay-claim.ts";
import { serveBuilds } from "./serve-builds.ts";

serveBuilds(
  (bytes, debug, tell) => {
    const program = decodeProgram(bytes);
    if (!program.ok) return err({ errorNo: measureErrorNo.INSTANTIATION_ERROR, rule: "program", message: program.error.message });
    const log = LoweringLog.of(debug, systemClock.monotonic);
    try {
      const text = compileProgram(program.value, log === undefined ? {} : { log });
      const code = program.value.kind === "schedule" ? {} : { code: program.value };
      return text.ok ? ok({ text: text.value, target: program.value.target, ...code }) : text;
    } finally {
      if (log !== undefined) tell({ lines: log.lines, files: log.files });
    }
  },
  replayClaim,
  systemClock,
);
