// Original file: warpfarm/admin/v1/admin_service.proto

import type { EndedLease as _warpfarm_admin_v1_EndedLease, EndedLease__Output as _warpfarm_admin_v1_EndedLease__Output } from '../../../warpfarm/admin/v1/EndedLease.ts';

export interface ListLeasesResponse {
  'leases'?: (_warpfarm_admin_v1_EndedLease)[];
}

export interface ListLeasesResponse__Output {
  'leases': (_warpfarm_admin_v1_EndedLease__Output)[];
}
