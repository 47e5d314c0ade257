export { chooseKey } from "../search/farm-there.ts";
export { wholeSpec } from "../search/search-spec.ts";
export { type FarmAccess, openFarm } from "./farm/farm-access.ts";
export { addDeviceFlag, askTracker, type DeviceFlags, type FarmFlags } from "./farm/farm-flags.ts";
export { workOnSuites } from "./suite/work.ts";
export { screenOf } from "./terminal/screen.ts";
export { shown } from "./tuning/show-search.ts";
export { tuneOnFarm } from "./tuning/tune-on-farm.ts";
export { defaultLogName, summaryWords } from "./tuning/tune-report.ts";
