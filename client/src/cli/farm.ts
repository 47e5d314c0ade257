/** What a command that tunes on a farm is made of, for deploy's demo. */
export { chooseKey, type FarmAccess, openFarm } from "./farm-access.ts";
export { addDeviceFlag, type DeviceFlags } from "./farm-flags.ts";
export { taskOf } from "./task-flags.ts";
export { tuneOnFarm } from "./tune-on-farm.ts";
export { defaultLogName, summaryWords } from "./tune-report.ts";
export { shown } from "./tune-run.ts";
