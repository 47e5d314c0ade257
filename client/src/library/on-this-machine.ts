/** Functions that need this machine, apart from the declarations that programs see. */
import type { Outside } from "./farm.ts";
import type { OnThisMachine } from "./index.ts";

export const onThisMachine = (outside: Outside): OnThisMachine => ({
  openFarm: async (options = {}) => (await import("./farm.ts")).openFarm(outside, options),
  exportKernel: async (kernel, options) => (await import("./export.ts")).exportKernel(outside, kernel, options),
});
