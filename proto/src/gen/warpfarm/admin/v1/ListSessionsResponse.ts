// Original file: warpfarm/admin/v1/admin_service.proto

import type { SessionStatus as _warpfarm_admin_v1_SessionStatus, SessionStatus__Output as _warpfarm_admin_v1_SessionStatus__Output } from '../../../warpfarm/admin/v1/SessionStatus.ts';

export interface ListSessionsResponse {
  'sessions'?: (_warpfarm_admin_v1_SessionStatus)[];
}

export interface ListSessionsResponse__Output {
  'sessions': (_warpfarm_admin_v1_SessionStatus__Output)[];
}
