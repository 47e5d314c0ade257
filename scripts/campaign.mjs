/**
 * `npm run campaign`: runs every test file that has a short form at full length (test-support/campaign.ts). Arguments go to
 * vitest.
 */
import { execFileSync } from "node:child_process";

const files = execFileSync("git", ["grep", "-l", "test-support/campaign.ts", "--", "*.test.ts"], { encoding: "utf8" });
process.env.WARPFARM_CAMPAIGN = "full";
process.argv.push(...files.trim().split("\n"));
await import("./test.mjs");
