// Original file: warpfarm/record/v1/record_service.proto

import type { Filter as _warpfarm_record_v1_Filter, Filter__Output as _warpfarm_record_v1_Filter__Output } from '../../../warpfarm/record/v1/Filter.ts';
import type { Retention as _warpfarm_record_v1_Retention, Retention__Output as _warpfarm_record_v1_Retention__Output } from '../../../warpfarm/record/v1/Retention.ts';

export interface DeleteRequest {
  'filter'?: (_warpfarm_record_v1_Filter | null);
  'retention'?: (_warpfarm_record_v1_Retention | null);
}

export interface DeleteRequest__Output {
  'filter': (_warpfarm_record_v1_Filter__Output | null);
  'retention': (_warpfarm_record_v1_Retention__Output | null);
}
