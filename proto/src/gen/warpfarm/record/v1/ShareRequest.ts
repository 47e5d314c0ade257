// Original file: warpfarm/record/v1/record_service.proto

import type { Filter as _warpfarm_record_v1_Filter, Filter__Output as _warpfarm_record_v1_Filter__Output } from '../../../warpfarm/record/v1/Filter.ts';

export interface ShareRequest {
  'filter'?: (_warpfarm_record_v1_Filter | null);
}

export interface ShareRequest__Output {
  'filter': (_warpfarm_record_v1_Filter__Output | null);
}
