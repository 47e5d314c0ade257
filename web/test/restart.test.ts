/**
 * A real tracker is killed and started again while its page is open in Chromium: the data stay, are marked as old, and are
 * updated again by themselves. The page's buttons pause, resume, extend and end sessions. Every view of a farm that measured
 * something, whose workers are scripted, shows it. Needs `npm run build`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AsyncQueue, defaultMeasureOptions, type SessionId } from "@warpfarm/common";
import { connect, type MeasureEvent, type MeasureRequest, protocolVersion, type TrackerConnection } from "@warpfarm/proto";
import { createTask, templates } from "@warpfarm/templates";
import { expect, it, onTestFinished } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { isFull } from "../../test-support/campaign.ts";
import { type Answer, builder, cpu, runner, target, timedResult } from "../../test-support/farm/scripted.ts";
import { freePort } from "../../test-support/free-port.ts";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { openChromium, violations } from "./page.testing.ts";

/** Resolves with how to kill it, when it listens. */
async function tracker(folder: string, grpc: string, http: string): Promise<() => Promise<void>> {
  const child = spawn(
    process.execPath,
    [bundled("bin/warpfarm"), "tracker", "--listen", grpc, "--http", http, "--data", folder],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (isOver()) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(kill);
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("tracker ready")) return kill;
  throw new Error("the tracker ended before it was ready");
}

async function openSession({ farm }: TrackerConnection, task: string): Promise<SessionId> {
  const { sessionId } = await farm.openSession({
    requestId: task.replaceAll(" ", "-"),
    protocolVersion,
    task,
    selector: "cpu/x86-64-v3",
    options: { ...defaultMeasureOptions("cpu"), check: "none" },
    priority: 0,
    maxInFlight: 4,
    labels: {},
    provenance: { search: { version: 1, task: { template: task }, budget: { trials: 40 } } },
  });
  return sessionId;
}

/** What the client of a search hears. */
function listen({ farm }: TrackerConnection, sessionId: SessionId) {
  const sent = new AsyncQueue<MeasureRequest>(16);
  sent.tryPush({ kind: "start", sessionId, resumeAfter: 0, takesControl: true, takesTrials: true });
  const heard: MeasureEvent[] = [];
  const last = () => heard.findLast((event) => event.kind === "control");
  let error: unknown;
  const read = async () => {
    for await (const event of farm.measure(sent)) {
      heard.push(event);
      if (event.kind === "result") sent.tryPush({ kind: "receipt", receivedThrough: 0, received: [event.sequence] });
    }
  };
  read().catch((reason: unknown) => {
    error = reason;
  });
  return { last, error: () => error, send: (request: MeasureRequest) => sent.tryPush(request) };
}

/** Three inputs, real programs; the third fails. */
function measureSome(address: string, { send }: ReturnType<typeof listen>): void {
  let runs = 0;
  const answer: Answer = ({ job }) => {
    if (job.kind !== "run") throw new Error("not a run");
    const timed = { ...timedResult(++runs / 1e3, cpu(1), job.artifact), timestampMs: Date.now() };
    if (runs < 3) return { kind: "run", result: timed };
    const { attempt, buildMs, runMs, timestampMs } = timed;
    const failure = { errorNo: 4, rule: "device.crash", message: "the kernel ended its process" } as const;
    return { kind: "run", result: { kind: "failed", ...failure, attempt, buildMs, runMs, timestampMs, device: cpu(1) } };
  };
  const workers = [builder(address).start(), runner(address, 1, answer).start()];
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const [name = ""] = templates
    .filter(({ targets }) => targets.some(({ kind }) => kind === "cpu"))
    .map((template) => template.name);
  const task = createTask(name, undefined, target);
  for (const trial of [1, 2, 3]) {
    const made = task.instantiate(task.space.toIndex(trial));
    if (!made.ok) throw new Error(made.error.message);
    const config = JSON.stringify([["tile", "sp", [-1, 2 ** trial]]]);
    const program = { kind: "program", program: made.value.program } as const;
    send({ kind: "input", sequence: trial, program, proposal: { config, trial, told: 0 } });
  }
}

it("a tracker is killed and started again while its page is open, and a session is held all the while", async (ctx) => {
  needs(ctx, "chromium");
  if (!isFull) ctx.skip("part of the campaign: browser.test.ts loses the connection, farm-views.test.ts holds a session");
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-restart-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [grpc, http] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const kill = await tracker(join(folder, "store"), grpc, http);
  const connection = connect({ address: grpc });
  onTestFinished(() => connection[Symbol.asyncDispose]());
  const id = await openSession(connection, "the first search");
  const before = listen(connection, id);
  await until(() => before.last() !== undefined, "the stream");

  const browser = await openChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.goto(`http://${http}/run/${id}`);
  await button("Pause session").click();
  await button("Pause it").click();
  await button("Resume session").waitFor();
  await see(/^paused$/);
  await until(() => before.last()?.paused === true, "the pause at the client");

  await kill();
  await see(/The connection is lost\. What you see is of /);
  await see("the first search");
  await see(/^paused$/);
  await tracker(join(folder, "store"), grpc, http);
  await page.getByText("The connection is lost").waitFor({ state: "detached" });
  await see(/^paused$/);

  const after = listen(connection, id);
  await until(() => after.last()?.paused === true, "the pause at the client that came back");
  await button("Resume session").click();
  await button("Pause session").waitFor();
  await until(() => after.last()?.paused === false, "the session to go on");
  await button("Add trials").click();
  await page.getByLabel("How many more trials?").fill("60");
  await button("Add 60").click();
  await see(/^0 of 100$/);
  await until(() => after.last()?.moreTrials === 60, "more trials");

  measureSome(grpc, after);
  await see(/3 trials; the best takes 1\.00 ms/);
  for (const [path, words] of [
    [`/run/${id}/trials`, "3 of 3 trials"],
    [`/run/${id}/space`, "device.crash"],
    [`/record/${id}/1`, "Do it again"],
    [`/record/${id}/3`, "the kernel ended its process"],
    [`/compare?records=${id}/1,${id}/2`, "2 records compared"],
    ["/fleet", "2 nodes, 1 device, 0 busy now"],
    ["/queue", "Shares of device time"],
    ["/suites", "No suite yet"],
    ["/", "1 run"],
  ] as const) {
    await page.goto(`http://${http}${path}`);
    await see(words);
    expect([path, await violations(page)]).toEqual([path, []]);
  }
  await page.goto(`http://${http}/record/${id}/1`);
  await page.getByRole("tab", { name: "Schedule" }).click();
  await see(/s\.split\(/);

  const other = await openSession(connection, "the second search");
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await see("the second search");
  await page.goto(`http://${http}/run/${other}`);
  await button("Add trials").waitFor();
  expect(await button("Add trials").isDisabled()).toBe(true);
  await page.goto(`http://${http}/run/${id}`);
  await button("Stop session").click();
  await button("Stop it").click();
  await until(() => after.error() !== undefined, "the end at the client");
  expect(after.error()).toMatchObject({ code: "FAILED_PRECONDITION", message: expect.stringContaining("stopped on the page") });
  expect(faults).toEqual([]);
});
