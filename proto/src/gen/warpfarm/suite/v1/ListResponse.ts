// Original file: warpfarm/suite/v1/suite_service.proto

import type { Suite as _warpfarm_suite_v1_Suite, Suite__Output as _warpfarm_suite_v1_Suite__Output } from '../../../warpfarm/suite/v1/Suite.ts';

export interface ListResponse {
  'suites'?: (_warpfarm_suite_v1_Suite)[];
}

export interface ListResponse__Output {
  'suites': (_warpfarm_suite_v1_Suite__Output)[];
}
