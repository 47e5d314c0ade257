// Original file: warpfarm/suite/v1/suite_service.proto

import type { Suite as _warpfarm_suite_v1_Suite, Suite__Output as _warpfarm_suite_v1_Suite__Output } from '../../../warpfarm/suite/v1/Suite.ts';

export interface GetResponse {
  'suite'?: (_warpfarm_suite_v1_Suite | null);
  'log'?: (Buffer | Uint8Array | string);
}

export interface GetResponse__Output {
  'suite': (_warpfarm_suite_v1_Suite__Output | null);
  'log': (Buffer);
}
