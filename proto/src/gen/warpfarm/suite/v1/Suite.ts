// Original file: warpfarm/suite/v1/suite_service.proto

import type { Task as _warpfarm_suite_v1_Task, Task__Output as _warpfarm_suite_v1_Task__Output } from '../../../warpfarm/suite/v1/Task.ts';

export interface Suite {
  'suite_id'?: (string);
  'name'?: (string);
  'principal'?: (string);
  'plan'?: (Buffer | Uint8Array | string);
  'cancelled'?: (boolean);
  'tasks'?: (_warpfarm_suite_v1_Task)[];
  'task_count'?: (number);
  'ended_count'?: (number);
}

export interface Suite__Output {
  'suite_id': (string);
  'name': (string);
  'principal': (string);
  'plan': (Buffer);
  'cancelled': (boolean);
  'tasks': (_warpfarm_suite_v1_Task__Output)[];
  'task_count': (number);
  'ended_count': (number);
}
