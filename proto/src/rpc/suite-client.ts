import { FarmError } from "@warpfarm/common";
import { type Claim, type KeptSuite, type NewSuite, suiteFromWire, type TaskReport } from "../convert/suite.ts";
import type { CallOptions, Channel } from "./channel.ts";
import { loadServices } from "./load.ts";

export interface SuiteClient {
  /** Returns the suite's id. A retry with the same request id returns that of the first call. */
  create(suite: NewSuite, options?: CallOptions): Promise<string>;
  get(suiteId: string, options?: CallOptions): Promise<KeptSuite>;
  /** At most 1 MiB of a task's log. */
  log(suiteId: string, taskId: string, from: number, options?: CallOptions): Promise<Uint8Array>;
  /** The suite now and after every change. Ends when the suite has ended. */
  watch(suiteId: string, options?: CallOptions): AsyncIterable<KeptSuite>;
  /** Undefined: nothing to do. */
  claim(
    asked: { readonly worker: string; readonly limit: number; readonly templates: readonly string[] },
    options?: CallOptions,
  ): Promise<Claim | undefined>;
  report(report: TaskReport, options?: CallOptions): Promise<{ readonly cancelled: boolean; readonly logBytes: number }>;
  cancel(suiteId: string, options?: CallOptions): Promise<void>;
}

const present = <T>(value: T | null, what: string): T => {
  if (value === null) throw new FarmError("DATA_LOSS", `the tracker's answer lacks ${what}`);
  return value;
};

export function suiteClient(channel: Channel): SuiteClient {
  const { suite } = loadServices();
  return {
    async create({ requestId, name, plan, tasks }, options) {
      const asked = tasks.map(({ taskId, document, template }) => ({
        task_id: taskId,
        document: Buffer.from(document),
        template,
      }));
      const request = { request_id: requestId, name, plan: Buffer.from(plan), tasks: asked };
      return (await channel.unary(suite.Create, request, options)).suite_id;
    },
    get: async (suiteId, options) =>
      suiteFromWire(present((await channel.unary(suite.Get, { suite_id: suiteId }, options)).suite, "the suite")),
    log: async (suiteId, taskId, from, options) =>
      (await channel.unary(suite.Get, { suite_id: suiteId, log_of: taskId, log_from: from }, options)).log,
    async *watch(suiteId, options) {
      for await (const { suite: now } of channel.serverStream(suite.Watch, { suite_id: suiteId }, options))
        yield suiteFromWire(present(now, "the suite"));
    },
    async claim({ worker, limit, templates }, options) {
      const { suite: of, tasks } = await channel.unary(suite.Claim, { worker, limit, templates: [...templates] }, options);
      return of === null
        ? undefined
        : { suite: suiteFromWire(of), tasks: tasks.map(({ task_id, epoch }) => ({ taskId: task_id, epoch })) };
    },
    async report({ suiteId, taskId, epoch, logAt, log, ended = "" }, options) {
      const request = { suite_id: suiteId, task_id: taskId, epoch, log_at: logAt, log: Buffer.from(log), ended };
      const { cancelled, log_bytes } = await channel.unary(suite.Report, request, options);
      return { cancelled, logBytes: log_bytes };
    },
    async cancel(suiteId, options) {
      await channel.unary(suite.Cancel, { suite_id: suiteId }, options);
    },
  };
}
