// Original file: warpfarm/worker/v1/worker_service.proto

import type { PairedOptions as _warpfarm_measure_v1_PairedOptions, PairedOptions__Output as _warpfarm_measure_v1_PairedOptions__Output } from '../../../warpfarm/measure/v1/PairedOptions.ts';

export interface PairedJob {
  'others'?: (string)[];
  'options'?: (_warpfarm_measure_v1_PairedOptions | null);
}

export interface PairedJob__Output {
  'others': (string)[];
  'options': (_warpfarm_measure_v1_PairedOptions__Output | null);
}
