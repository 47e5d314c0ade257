// Original file: warpfarm/suite/v1/suite_service.proto

import type { NewTask as _warpfarm_suite_v1_NewTask, NewTask__Output as _warpfarm_suite_v1_NewTask__Output } from '../../../warpfarm/suite/v1/NewTask.ts';

export interface CreateRequest {
  'request_id'?: (string);
  'name'?: (string);
  'plan'?: (Buffer | Uint8Array | string);
  'tasks'?: (_warpfarm_suite_v1_NewTask)[];
}

export interface CreateRequest__Output {
  'request_id': (string);
  'name': (string);
  'plan': (Buffer);
  'tasks': (_warpfarm_suite_v1_NewTask__Output)[];
}
