/** Composition root: whole farms, and the command line that starts them. */
export { LocalFarm } from "./local-farm.ts";
export { main } from "./main.ts";
export type { Role } from "./ready-line.ts";
