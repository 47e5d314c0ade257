// Original file: warpfarm/suite/v1/suite_service.proto

import type { Suite as _warpfarm_suite_v1_Suite, Suite__Output as _warpfarm_suite_v1_Suite__Output } from '../../../warpfarm/suite/v1/Suite.ts';
import type { ClaimedTask as _warpfarm_suite_v1_ClaimedTask, ClaimedTask__Output as _warpfarm_suite_v1_ClaimedTask__Output } from '../../../warpfarm/suite/v1/ClaimedTask.ts';

export interface ClaimResponse {
  'suite'?: (_warpfarm_suite_v1_Suite | null);
  'tasks'?: (_warpfarm_suite_v1_ClaimedTask)[];
}

export interface ClaimResponse__Output {
  'suite': (_warpfarm_suite_v1_Suite__Output | null);
  'tasks': (_warpfarm_suite_v1_ClaimedTask__Output)[];
}
