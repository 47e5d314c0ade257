import { unlimited } from "../../verify/limits.ts";
import type { LaunchDef } from "../launch-def.ts";

export const cpuLaunch: LaunchDef = {
  limits: () => unlimited,
  spread: (schedule, loop) => {
    schedule.parallel(loop);
    return loop;
  },
};
