/** SuiteService: suites as the farm keeps them. Plans, documents and logs are bytes of the clients. */
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
export interface KeptTask {
  readonly taskId: string;
  readonly document: Uint8Array;
  /** Digest of a template's file that a worker needs to claim the task; "": none. */
  readonly template: string;
  /** Why it ended; "": it has not. */
  readonly ended: string;
  /** Who has claimed it; "": nobody. */
  readonly worker: string;
  readonly logBytes: number;
}
export interface KeptSuite {
  readonly suiteId: string;
  readonly name: string;
  readonly principal: string;
  readonly plan: Uint8Array;
  readonly cancelled: boolean;
  /** Empty in a list. */
  readonly tasks: readonly KeptTask[];
  readonly taskCount: number;
  readonly endedCount: number;
}
export interface NewSuite {
  readonly requestId: string;
  readonly name: string;
  readonly plan: Uint8Array;
  readonly tasks: readonly Pick<KeptTask, "taskId" | "document" | "template">[];
}
export interface Claim {
  readonly suite: KeptSuite;
  readonly tasks: readonly { readonly taskId: string; readonly epoch: number }[];
}
export interface TaskReport {
  readonly suiteId: string;
  readonly taskId: string;
  readonly epoch: number;
  /** Where `log` begins in the task's log. */
  readonly logAt: number;
  readonly log: Uint8Array;
  readonly ended?: string;
}

const bytes = (b: Uint8Array): Buffer => Buffer.from(b.buffer, b.byteOffset, b.byteLength);

export const suiteToWire = ({ suiteId, taskCount, endedCount, plan, tasks, ...same }: KeptSuite): Sent<Wire.Suite> => ({
  ...same,
  suite_id: suiteId,
  plan: bytes(plan),
  task_count: taskCount,
  ended_count: endedCount,
  tasks: tasks.map(({ taskId, logBytes, document, ...task }) => ({
    ...task,
    task_id: taskId,
    document: bytes(document),
    log_bytes: logBytes,
  })),
});

export const suiteFromWire = (w: Wire.Suite): KeptSuite => ({
  suiteId: w.suite_id,
  name: w.name,
  principal: w.principal,
  plan: w.plan,
  cancelled: w.cancelled,
  tasks: w.tasks.map(({ task_id, log_bytes, document, template, ended, worker }) => ({
    ...{ taskId: task_id, logBytes: log_bytes },
    ...{ document, template, ended, worker },
  })),
  taskCount: w.task_count,
  endedCount: w.ended_count,
});
