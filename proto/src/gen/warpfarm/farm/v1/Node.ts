// Original file: warpfarm/farm/v1/farm_service.proto

import type { Device as _warpfarm_farm_v1_Device, Device__Output as _warpfarm_farm_v1_Device__Output } from '../../../warpfarm/farm/v1/Device.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../../google/protobuf/Timestamp.ts';
import type { Reason as _warpfarm_farm_v1_Reason, Reason__Output as _warpfarm_farm_v1_Reason__Output } from '../../../warpfarm/farm/v1/Reason.ts';

// Original file: warpfarm/farm/v1/farm_service.proto

export const _warpfarm_farm_v1_Node_Role = {
  ROLE_UNSPECIFIED: 'ROLE_UNSPECIFIED',
  ROLE_BUILDER: 'ROLE_BUILDER',
  ROLE_RUNNER: 'ROLE_RUNNER',
} as const;

export type _warpfarm_farm_v1_Node_Role =
  | 'ROLE_UNSPECIFIED'
  | 0
  | 'ROLE_BUILDER'
  | 1
  | 'ROLE_RUNNER'
  | 2

export type _warpfarm_farm_v1_Node_Role__Output = typeof _warpfarm_farm_v1_Node_Role[keyof typeof _warpfarm_farm_v1_Node_Role]

export interface Node {
  'worker_id'?: (string);
  'node'?: (string);
  'role'?: (_warpfarm_farm_v1_Node_Role);
  'state'?: (string);
  'devices'?: (_warpfarm_farm_v1_Device)[];
  'slots'?: (number);
  'targets'?: (string)[];
  'labels'?: ({[key: string]: string});
  'last_seen'?: (_google_protobuf_Timestamp | null);
  'leases'?: (number);
  'reason'?: (_warpfarm_farm_v1_Reason | null);
  'toolchains'?: (string)[];
}

export interface Node__Output {
  'worker_id': (string);
  'node': (string);
  'role': (_warpfarm_farm_v1_Node_Role__Output);
  'state': (string);
  'devices': (_warpfarm_farm_v1_Device__Output)[];
  'slots': (number);
  'targets': (string)[];
  'labels': ({[key: string]: string});
  'last_seen': (_google_protobuf_Timestamp__Output | null);
  'leases': (number);
  'reason': (_warpfarm_farm_v1_Reason__Output | null);
  'toolchains': (string)[];
}
