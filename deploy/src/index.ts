/** Composition root: whole farms, and the command line that starts them. */
export { LocalFarm, type LocalFarmOptions, type Role } from "./local-farm.ts";
export { main } from "./main.ts";
