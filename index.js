// The package for programs. Template and spec files get the language alone (client/src/task/template-file.ts).
import { fileURLToPath } from "node:url";
import { onThisMachine } from "@warpfarm/client/library";
import { randomId, systemClock } from "@warpfarm/common";

export { best, measure, openSearch, records } from "@warpfarm/client/library";
export * from "@warpfarm/client/template";

/** What starts the processes of an embedded farm. */
const bin = fileURLToPath(new URL("bin/warpfarm.js", import.meta.url));
export const { openFarm, exportKernel } = onThisMachine({
  clock: systemClock,
  newId: randomId,
  machine: async () => {
    const { services } = await import("@warpfarm/deploy/machine");
    return services(process.env, bin, process.stderr);
  },
});
