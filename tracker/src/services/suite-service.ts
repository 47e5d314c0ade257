/** SuiteService: checks requests for store/sql/suites.ts. */
import { badInput } from "@warpfarm/common";
import { type SuiteHandlers, suiteToWire } from "@warpfarm/proto";
import { ownerOf } from "../doors/rights.ts";
import { cancelSuite, claimTasks, createSuite, getSuite, readLogOf, reportTask } from "../store/sql/suites.ts";
import type { TrackerContext } from "./context.ts";

const claimMs = 10_000;
const watchEveryMs = 1_000;
const mostLog = 1 << 20;
const mostTasks = 2000;

const refuse = (message: string): never => {
  throw badInput(message);
};
function id(name: string, text: string, most = 128): string {
  const isId = text.length >= 1 && text.length <= most && /^[\w.:-]+$/.test(text);
  return isId
    ? text
    : refuse(`${name} is ${JSON.stringify(text.slice(0, 100))}; allowed: 1 to ${most} characters of A-Z a-z 0-9 _ . : -`);
}
function atMost(name: string, bytes: number, most: number): void {
  if (bytes > most) refuse(`${name} has ${bytes} bytes; allowed: at most ${most}`);
}
const digest = (name: string, text: string): string =>
  /^sha256:[0-9a-f]{64}$/.test(text)
    ? text
    : refuse(`${name} is ${JSON.stringify(text.slice(0, 100))}; it takes sha256: and 64 hexadecimal digits`);

export function suiteService({ db, clock, newId, audit, quotas, watches }: TrackerContext): SuiteHandlers {
  const mostBytes = quotas?.limits.maxSuiteBytes;
  return {
    async Create({ request_id, name, plan, tasks }, caller) {
      id("request_id", request_id);
      if (!/^[\w.-]{1,64}$/.test(name))
        refuse(`name is ${JSON.stringify(name.slice(0, 100))}; allowed: 1 to 64 characters of A-Z a-z 0-9 _ . -`);
      atMost("plan", plan.length, 64 << 10);
      if (tasks.length < 1 || tasks.length > mostTasks) refuse(`tasks are ${tasks.length}; allowed: 1 to ${mostTasks}`);
      const taken = tasks.map(({ task_id, document, template }, i) => {
        atMost(`tasks[${i}].document`, document.length, 16 << 10);
        return {
          taskId: id(`tasks[${i}].task_id`, task_id, 256),
          document,
          template: template === "" ? "" : digest(`tasks[${i}].template`, template),
        };
      });
      const twice = taken.find(({ taskId }, i) => taken.findIndex((other) => other.taskId === taskId) !== i);
      if (twice) refuse(`tasks: two are named ${twice.taskId}`);
      const made = await createSuite(
        db,
        newId(),
        caller.principal.name,
        { requestId: request_id, name, plan, tasks: taken },
        mostBytes,
      );
      audit.did("create_suite", caller, { suite: made, suite_name: name, tasks: taken.length });
      return { suite_id: made };
    },
    async Get({ suite_id, log_of, log_from }, { principal }) {
      const suite = await getSuite(db, id("suite_id", suite_id), ownerOf(principal));
      if (log_of === "") return { suite: suiteToWire(suite) };
      const log = await readLogOf(db, suite_id, id("log_of", log_of, 256), log_from, mostLog);
      return { suite: suiteToWire({ ...suite, tasks: [] }), log: Buffer.from(log) };
    },
    async *Watch({ suite_id }, { principal, signal }) {
      using _watch = watches.begin(principal);
      let before = "";
      for (;;) {
        const suite = await getSuite(db, id("suite_id", suite_id), ownerOf(principal));
        const now = JSON.stringify([
          suite.cancelled,
          suite.tasks.map(({ ended, worker, logBytes }) => [ended, worker, logBytes]),
        ]);
        if (now !== before) yield { suite: suiteToWire(suite) };
        before = now;
        if (suite.cancelled || suite.endedCount === suite.taskCount) return;
        await clock.sleep(watchEveryMs, { signal });
      }
    },
    async Claim({ worker, limit, templates }, { principal }) {
      id("worker", worker);
      if (limit < 1 || limit > mostTasks) refuse(`limit is ${limit}; allowed: 1 to ${mostTasks}`);
      if (templates.length > 1000) refuse(`templates are ${templates.length}; allowed: at most 1000`);
      const held = templates.map((text, i) => digest(`templates[${i}]`, text));
      const claim = await claimTasks(db, { worker, limit, templates: held, claimMs, owner: ownerOf(principal) });
      if (!claim) return {};
      return { suite: suiteToWire(claim.suite), tasks: claim.tasks.map(({ taskId, epoch }) => ({ task_id: taskId, epoch })) };
    },
    async Report({ suite_id, task_id, epoch, log_at, log, ended }, { principal }) {
      atMost("log", log.length, mostLog);
      if (ended.length > 1024 || ended.includes("\0"))
        refuse(`ended is ${ended.length} characters; allowed: at most 1024, without NUL`);
      const report = { suiteId: id("suite_id", suite_id), taskId: id("task_id", task_id, 256), epoch, logAt: log_at, log, ended };
      const { cancelled, logBytes } = await reportTask(db, report, claimMs, ownerOf(principal), mostBytes);
      return { cancelled, log_bytes: logBytes };
    },
    async Cancel({ suite_id }, caller) {
      await cancelSuite(db, id("suite_id", suite_id), ownerOf(caller.principal));
      audit.did("cancel_suite", caller, { suite: suite_id });
      return {};
    },
  };
}
