// Original file: warpfarm/farm/v1/farm_service.proto

import type { Node as _warpfarm_farm_v1_Node, Node__Output as _warpfarm_farm_v1_Node__Output } from '../../../warpfarm/farm/v1/Node.ts';
import type { Queue as _warpfarm_farm_v1_Queue, Queue__Output as _warpfarm_farm_v1_Queue__Output } from '../../../warpfarm/farm/v1/Queue.ts';
import type { Session as _warpfarm_farm_v1_Session, Session__Output as _warpfarm_farm_v1_Session__Output } from '../../../warpfarm/farm/v1/Session.ts';

export interface FarmSnapshot {
  'nodes'?: (_warpfarm_farm_v1_Node)[];
  'queues'?: (_warpfarm_farm_v1_Queue)[];
  'sessions'?: (_warpfarm_farm_v1_Session)[];
}

export interface FarmSnapshot__Output {
  'nodes': (_warpfarm_farm_v1_Node__Output)[];
  'queues': (_warpfarm_farm_v1_Queue__Output)[];
  'sessions': (_warpfarm_farm_v1_Session__Output)[];
}
