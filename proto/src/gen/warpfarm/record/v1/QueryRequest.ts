// Original file: warpfarm/record/v1/record_service.proto

import type { Filter as _warpfarm_record_v1_Filter, Filter__Output as _warpfarm_record_v1_Filter__Output } from '../../../warpfarm/record/v1/Filter.ts';

export interface QueryRequest {
  'filter'?: (_warpfarm_record_v1_Filter | null);
  'order'?: (string);
  'limit'?: (number);
  'cursor'?: (string);
  'believed'?: (boolean);
}

export interface QueryRequest__Output {
  'filter': (_warpfarm_record_v1_Filter__Output | null);
  'order': (string);
  'limit': (number);
  'cursor': (string);
  'believed': (boolean);
}
