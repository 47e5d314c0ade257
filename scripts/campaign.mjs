/**
 * `npm run campaign`: runs every test file that has a short form at full length (test-support/campaign.ts). Arguments go to
 * vitest.
 */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";

/** Files of the pattern that have the words. */
const having = (words, pattern) =>
  execFileSync("git", ["grep", "-lF", words, "--", pattern], { encoding: "utf8" }).trim().split("\n");

const form = "test-support/campaign.ts";
// Or whose helper has one.
const helped = having(form, "*.testing.ts").flatMap((helper) => having(`/${basename(helper)}"`, "*.test.ts"));
process.env.WARPFARM_CAMPAIGN = "full";
process.argv.push(...new Set([...having(form, "*.test.ts"), ...helped]));
await import("./test.mjs");
