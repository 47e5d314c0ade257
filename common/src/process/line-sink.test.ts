import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LineSink } from "./line-sink.ts";

it("lines come in order, those too that wait while another is written", async () => {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-lines-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const fd = openSync(join(directory, "log"), "w");
  const sink = new LineSink(fd);
  const lines = Array.from({ length: 1000 }, (_, i) => `line ${i} ${"x".repeat(i)}\n`);
  for (const line of lines.slice(0, 500)) sink.write(line);
  await expect.poll(() => readFileSync(join(directory, "log"), "utf8")).toBe(lines.slice(0, 500).join(""));
  for (const line of lines.slice(500)) sink.write(line);
  await expect.poll(() => readFileSync(join(directory, "log"), "utf8")).toBe(lines.join(""));
  sink.flushSync();
  closeSync(fd);
});

/** A process that logs to standard error, whose reader is gone, and then exits. */
const script = (sink: string) => `
  import { pino, destination } from "pino";
  const log = pino({}, ${sink});
  process.stdin.once("data", () => {
    for (let i = 0; i < 100; i++) log.info("a line that nobody reads");
    process.exit(7);
  });
  process.stdout.write("ready");
`;

it("a process whose reader is gone exits", async () => {
  const module = new URL("../../dist/process/line-sink.js", import.meta.url).href;
  const text = `import { logSink } from ${JSON.stringify(module)};${script("logSink()")}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
    cwd: new URL("../../../tracker", import.meta.url),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const code = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stderr.destroy();
  child.stdin.write("go");
  expect(await code).toBe(7);
});
