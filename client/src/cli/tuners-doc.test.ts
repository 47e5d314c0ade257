/**
 * Runs the listings of docs/tuners.md. Commands without a farm must print what the page shows. A
 * `tune` gets the address of a missing tracker, so flags, task and logs are checked and only the farm fails.
 */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCli, scratch } from "./context.testing.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const listings = [...readFileSync(join(root, "docs/tuners.md"), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

test("every listing of docs/tuners.md runs, or lacks nothing but a farm", async () => {
  const cwd = scratch();
  const others = ["RTX_2080_Ti", "RTX_Titan"].map((gpu) => `spaces/transfer/pnpoly-${gpu}.json.gz`);
  for (const file of ["spaces/pnpoly-RTX_3090.json.gz", "vectors/autotvm-conv2d-h100.log.json", ...others])
    copyFileSync(join(root, "client/test", file), join(cwd, file.replace(/.*\//, "")));
  const commands = listings.filter(({ language }) => language === "sh");
  const said = await Promise.all(
    commands.map(async ({ text }) => {
      // Words as a shell splits them, with single quotes.
      const words = Array.from(text.trim().matchAll(/'([^']*)'|(\S+)/g), ([, quoted, bare = ""]) => quoted ?? bare);
      const [npx, name, ...args] = words;
      expect([npx, name]).toEqual(["npx", "warpfarm"]);
      return { args, ...(await runCli(args[0] === "tune" ? [...args, "--tracker", "127.0.0.1:1"] : args, { home: cwd })) };
    }),
  );
  for (const { args, code, stderr } of said) {
    const what = `${args.join(" ")}\n${stderr}`;
    if (args[0] === "tune") expect(stderr, what).toMatch(/cannot reach the tracker at 127\.0\.0\.1:1/);
    expect(code, what).toBe(args[0] === "tune" ? 3 : 0);
  }
  const printed = listings.flatMap(({ language, text }) => (language === "text" ? [text] : []));
  expect(said.map(({ stdout }) => stdout)).toEqual(expect.arrayContaining(printed));
  expect({ commands: commands.length, printed: printed.length }).toEqual({ commands: 7, printed: 1 });
});
