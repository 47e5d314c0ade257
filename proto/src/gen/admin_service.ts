import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { AdminServiceClient as _warpfarm_admin_v1_AdminServiceClient, AdminServiceDefinition as _warpfarm_admin_v1_AdminServiceDefinition } from './warpfarm/admin/v1/AdminService.ts';
import type { CancelSessionRequest as _warpfarm_admin_v1_CancelSessionRequest, CancelSessionRequest__Output as _warpfarm_admin_v1_CancelSessionRequest__Output } from './warpfarm/admin/v1/CancelSessionRequest.ts';
import type { CancelSessionResponse as _warpfarm_admin_v1_CancelSessionResponse, CancelSessionResponse__Output as _warpfarm_admin_v1_CancelSessionResponse__Output } from './warpfarm/admin/v1/CancelSessionResponse.ts';
import type { CollectGarbageRequest as _warpfarm_admin_v1_CollectGarbageRequest, CollectGarbageRequest__Output as _warpfarm_admin_v1_CollectGarbageRequest__Output } from './warpfarm/admin/v1/CollectGarbageRequest.ts';
import type { CollectGarbageResponse as _warpfarm_admin_v1_CollectGarbageResponse, CollectGarbageResponse__Output as _warpfarm_admin_v1_CollectGarbageResponse__Output } from './warpfarm/admin/v1/CollectGarbageResponse.ts';
import type { DrainNodeRequest as _warpfarm_admin_v1_DrainNodeRequest, DrainNodeRequest__Output as _warpfarm_admin_v1_DrainNodeRequest__Output } from './warpfarm/admin/v1/DrainNodeRequest.ts';
import type { DrainNodeResponse as _warpfarm_admin_v1_DrainNodeResponse, DrainNodeResponse__Output as _warpfarm_admin_v1_DrainNodeResponse__Output } from './warpfarm/admin/v1/DrainNodeResponse.ts';
import type { EndedLease as _warpfarm_admin_v1_EndedLease, EndedLease__Output as _warpfarm_admin_v1_EndedLease__Output } from './warpfarm/admin/v1/EndedLease.ts';
import type { ExtendSessionRequest as _warpfarm_admin_v1_ExtendSessionRequest, ExtendSessionRequest__Output as _warpfarm_admin_v1_ExtendSessionRequest__Output } from './warpfarm/admin/v1/ExtendSessionRequest.ts';
import type { ExtendSessionResponse as _warpfarm_admin_v1_ExtendSessionResponse, ExtendSessionResponse__Output as _warpfarm_admin_v1_ExtendSessionResponse__Output } from './warpfarm/admin/v1/ExtendSessionResponse.ts';
import type { Hold as _warpfarm_admin_v1_Hold, Hold__Output as _warpfarm_admin_v1_Hold__Output } from './warpfarm/admin/v1/Hold.ts';
import type { ListLeasesRequest as _warpfarm_admin_v1_ListLeasesRequest, ListLeasesRequest__Output as _warpfarm_admin_v1_ListLeasesRequest__Output } from './warpfarm/admin/v1/ListLeasesRequest.ts';
import type { ListLeasesResponse as _warpfarm_admin_v1_ListLeasesResponse, ListLeasesResponse__Output as _warpfarm_admin_v1_ListLeasesResponse__Output } from './warpfarm/admin/v1/ListLeasesResponse.ts';
import type { ListSessionsRequest as _warpfarm_admin_v1_ListSessionsRequest, ListSessionsRequest__Output as _warpfarm_admin_v1_ListSessionsRequest__Output } from './warpfarm/admin/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse as _warpfarm_admin_v1_ListSessionsResponse, ListSessionsResponse__Output as _warpfarm_admin_v1_ListSessionsResponse__Output } from './warpfarm/admin/v1/ListSessionsResponse.ts';
import type { PauseSessionRequest as _warpfarm_admin_v1_PauseSessionRequest, PauseSessionRequest__Output as _warpfarm_admin_v1_PauseSessionRequest__Output } from './warpfarm/admin/v1/PauseSessionRequest.ts';
import type { PauseSessionResponse as _warpfarm_admin_v1_PauseSessionResponse, PauseSessionResponse__Output as _warpfarm_admin_v1_PauseSessionResponse__Output } from './warpfarm/admin/v1/PauseSessionResponse.ts';
import type { SessionStatus as _warpfarm_admin_v1_SessionStatus, SessionStatus__Output as _warpfarm_admin_v1_SessionStatus__Output } from './warpfarm/admin/v1/SessionStatus.ts';
import type { Waiting as _warpfarm_admin_v1_Waiting, Waiting__Output as _warpfarm_admin_v1_Waiting__Output } from './warpfarm/admin/v1/Waiting.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
    }
  }
  warpfarm: {
    admin: {
      v1: {
        AdminService: SubtypeConstructor<typeof grpc.Client, _warpfarm_admin_v1_AdminServiceClient> & { service: _warpfarm_admin_v1_AdminServiceDefinition }
        CancelSessionRequest: MessageTypeDefinition<_warpfarm_admin_v1_CancelSessionRequest, _warpfarm_admin_v1_CancelSessionRequest__Output>
        CancelSessionResponse: MessageTypeDefinition<_warpfarm_admin_v1_CancelSessionResponse, _warpfarm_admin_v1_CancelSessionResponse__Output>
        CollectGarbageRequest: MessageTypeDefinition<_warpfarm_admin_v1_CollectGarbageRequest, _warpfarm_admin_v1_CollectGarbageRequest__Output>
        CollectGarbageResponse: MessageTypeDefinition<_warpfarm_admin_v1_CollectGarbageResponse, _warpfarm_admin_v1_CollectGarbageResponse__Output>
        DrainNodeRequest: MessageTypeDefinition<_warpfarm_admin_v1_DrainNodeRequest, _warpfarm_admin_v1_DrainNodeRequest__Output>
        DrainNodeResponse: MessageTypeDefinition<_warpfarm_admin_v1_DrainNodeResponse, _warpfarm_admin_v1_DrainNodeResponse__Output>
        EndedLease: MessageTypeDefinition<_warpfarm_admin_v1_EndedLease, _warpfarm_admin_v1_EndedLease__Output>
        ExtendSessionRequest: MessageTypeDefinition<_warpfarm_admin_v1_ExtendSessionRequest, _warpfarm_admin_v1_ExtendSessionRequest__Output>
        ExtendSessionResponse: MessageTypeDefinition<_warpfarm_admin_v1_ExtendSessionResponse, _warpfarm_admin_v1_ExtendSessionResponse__Output>
        Hold: MessageTypeDefinition<_warpfarm_admin_v1_Hold, _warpfarm_admin_v1_Hold__Output>
        ListLeasesRequest: MessageTypeDefinition<_warpfarm_admin_v1_ListLeasesRequest, _warpfarm_admin_v1_ListLeasesRequest__Output>
        ListLeasesResponse: MessageTypeDefinition<_warpfarm_admin_v1_ListLeasesResponse, _warpfarm_admin_v1_ListLeasesResponse__Output>
        ListSessionsRequest: MessageTypeDefinition<_warpfarm_admin_v1_ListSessionsRequest, _warpfarm_admin_v1_ListSessionsRequest__Output>
        ListSessionsResponse: MessageTypeDefinition<_warpfarm_admin_v1_ListSessionsResponse, _warpfarm_admin_v1_ListSessionsResponse__Output>
        PauseSessionRequest: MessageTypeDefinition<_warpfarm_admin_v1_PauseSessionRequest, _warpfarm_admin_v1_PauseSessionRequest__Output>
        PauseSessionResponse: MessageTypeDefinition<_warpfarm_admin_v1_PauseSessionResponse, _warpfarm_admin_v1_PauseSessionResponse__Output>
        SessionStatus: MessageTypeDefinition<_warpfarm_admin_v1_SessionStatus, _warpfarm_admin_v1_SessionStatus__Output>
        Waiting: MessageTypeDefinition<_warpfarm_admin_v1_Waiting, _warpfarm_admin_v1_Waiting__Output>
      }
    }
  }
}

