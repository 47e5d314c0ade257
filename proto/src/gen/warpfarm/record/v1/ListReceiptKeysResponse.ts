// Original file: warpfarm/record/v1/record_service.proto

import type { ReceiptKey as _warpfarm_record_v1_ReceiptKey, ReceiptKey__Output as _warpfarm_record_v1_ReceiptKey__Output } from '../../../warpfarm/record/v1/ReceiptKey.ts';

export interface ListReceiptKeysResponse {
  'keys'?: (_warpfarm_record_v1_ReceiptKey)[];
}

export interface ListReceiptKeysResponse__Output {
  'keys': (_warpfarm_record_v1_ReceiptKey__Output)[];
}
