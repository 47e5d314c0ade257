// Original file: warpfarm/suite/v1/suite_service.proto

import type { Suite as _warpfarm_suite_v1_Suite, Suite__Output as _warpfarm_suite_v1_Suite__Output } from '../../../warpfarm/suite/v1/Suite.ts';

export interface WatchResponse {
  'suite'?: (_warpfarm_suite_v1_Suite | null);
}

export interface WatchResponse__Output {
  'suite': (_warpfarm_suite_v1_Suite__Output | null);
}
