// Original file: warpfarm/admin/v1/admin_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelSessionRequest as _warpfarm_admin_v1_CancelSessionRequest, CancelSessionRequest__Output as _warpfarm_admin_v1_CancelSessionRequest__Output } from '../../../warpfarm/admin/v1/CancelSessionRequest.ts';
import type { CancelSessionResponse as _warpfarm_admin_v1_CancelSessionResponse, CancelSessionResponse__Output as _warpfarm_admin_v1_CancelSessionResponse__Output } from '../../../warpfarm/admin/v1/CancelSessionResponse.ts';
import type { CollectGarbageRequest as _warpfarm_admin_v1_CollectGarbageRequest, CollectGarbageRequest__Output as _warpfarm_admin_v1_CollectGarbageRequest__Output } from '../../../warpfarm/admin/v1/CollectGarbageRequest.ts';
import type { CollectGarbageResponse as _warpfarm_admin_v1_CollectGarbageResponse, CollectGarbageResponse__Output as _warpfarm_admin_v1_CollectGarbageResponse__Output } from '../../../warpfarm/admin/v1/CollectGarbageResponse.ts';
import type { DrainNodeRequest as _warpfarm_admin_v1_DrainNodeRequest, DrainNodeRequest__Output as _warpfarm_admin_v1_DrainNodeRequest__Output } from '../../../warpfarm/admin/v1/DrainNodeRequest.ts';
import type { DrainNodeResponse as _warpfarm_admin_v1_DrainNodeResponse, DrainNodeResponse__Output as _warpfarm_admin_v1_DrainNodeResponse__Output } from '../../../warpfarm/admin/v1/DrainNodeResponse.ts';
import type { ExtendSessionRequest as _warpfarm_admin_v1_ExtendSessionRequest, ExtendSessionRequest__Output as _warpfarm_admin_v1_ExtendSessionRequest__Output } from '../../../warpfarm/admin/v1/ExtendSessionRequest.ts';
import type { ExtendSessionResponse as _warpfarm_admin_v1_ExtendSessionResponse, ExtendSessionResponse__Output as _warpfarm_admin_v1_ExtendSessionResponse__Output } from '../../../warpfarm/admin/v1/ExtendSessionResponse.ts';
import type { ListLeasesRequest as _warpfarm_admin_v1_ListLeasesRequest, ListLeasesRequest__Output as _warpfarm_admin_v1_ListLeasesRequest__Output } from '../../../warpfarm/admin/v1/ListLeasesRequest.ts';
import type { ListLeasesResponse as _warpfarm_admin_v1_ListLeasesResponse, ListLeasesResponse__Output as _warpfarm_admin_v1_ListLeasesResponse__Output } from '../../../warpfarm/admin/v1/ListLeasesResponse.ts';
import type { ListSessionsRequest as _warpfarm_admin_v1_ListSessionsRequest, ListSessionsRequest__Output as _warpfarm_admin_v1_ListSessionsRequest__Output } from '../../../warpfarm/admin/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse as _warpfarm_admin_v1_ListSessionsResponse, ListSessionsResponse__Output as _warpfarm_admin_v1_ListSessionsResponse__Output } from '../../../warpfarm/admin/v1/ListSessionsResponse.ts';
import type { PauseSessionRequest as _warpfarm_admin_v1_PauseSessionRequest, PauseSessionRequest__Output as _warpfarm_admin_v1_PauseSessionRequest__Output } from '../../../warpfarm/admin/v1/PauseSessionRequest.ts';
import type { PauseSessionResponse as _warpfarm_admin_v1_PauseSessionResponse, PauseSessionResponse__Output as _warpfarm_admin_v1_PauseSessionResponse__Output } from '../../../warpfarm/admin/v1/PauseSessionResponse.ts';

export interface AdminServiceClient extends grpc.Client {
  CancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  CancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  CancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  CancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  cancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  cancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  cancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;
  cancelSession(argument: _warpfarm_admin_v1_CancelSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_CancelSessionResponse__Output>): grpc.ClientUnaryCall;

  CollectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  CollectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  CollectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  CollectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  collectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  collectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  collectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;
  collectGarbage(argument: _warpfarm_admin_v1_CollectGarbageRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_CollectGarbageResponse__Output>): grpc.ClientUnaryCall;

  DrainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  DrainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  DrainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  DrainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  drainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  drainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  drainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;
  drainNode(argument: _warpfarm_admin_v1_DrainNodeRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_DrainNodeResponse__Output>): grpc.ClientUnaryCall;

  ExtendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  ExtendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  ExtendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  ExtendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  extendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  extendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  extendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;
  extendSession(argument: _warpfarm_admin_v1_ExtendSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ExtendSessionResponse__Output>): grpc.ClientUnaryCall;

  ListLeases(argument: _warpfarm_admin_v1_ListLeasesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_admin_v1_ListLeasesResponse__Output>;
  ListLeases(argument: _warpfarm_admin_v1_ListLeasesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_admin_v1_ListLeasesResponse__Output>;
  listLeases(argument: _warpfarm_admin_v1_ListLeasesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_admin_v1_ListLeasesResponse__Output>;
  listLeases(argument: _warpfarm_admin_v1_ListLeasesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_admin_v1_ListLeasesResponse__Output>;

  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;

  PauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  PauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  PauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  PauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  pauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  pauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  pauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;
  pauseSession(argument: _warpfarm_admin_v1_PauseSessionRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_PauseSessionResponse__Output>): grpc.ClientUnaryCall;

}

export interface AdminServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelSession: grpc.handleUnaryCall<_warpfarm_admin_v1_CancelSessionRequest__Output, _warpfarm_admin_v1_CancelSessionResponse>;

  CollectGarbage: grpc.handleUnaryCall<_warpfarm_admin_v1_CollectGarbageRequest__Output, _warpfarm_admin_v1_CollectGarbageResponse>;

  DrainNode: grpc.handleUnaryCall<_warpfarm_admin_v1_DrainNodeRequest__Output, _warpfarm_admin_v1_DrainNodeResponse>;

  ExtendSession: grpc.handleUnaryCall<_warpfarm_admin_v1_ExtendSessionRequest__Output, _warpfarm_admin_v1_ExtendSessionResponse>;

  ListLeases: grpc.handleServerStreamingCall<_warpfarm_admin_v1_ListLeasesRequest__Output, _warpfarm_admin_v1_ListLeasesResponse>;

  ListSessions: grpc.handleUnaryCall<_warpfarm_admin_v1_ListSessionsRequest__Output, _warpfarm_admin_v1_ListSessionsResponse>;

  PauseSession: grpc.handleUnaryCall<_warpfarm_admin_v1_PauseSessionRequest__Output, _warpfarm_admin_v1_PauseSessionResponse>;

}

export interface AdminServiceDefinition extends grpc.ServiceDefinition {
  CancelSession: MethodDefinition<_warpfarm_admin_v1_CancelSessionRequest, _warpfarm_admin_v1_CancelSessionResponse, _warpfarm_admin_v1_CancelSessionRequest__Output, _warpfarm_admin_v1_CancelSessionResponse__Output>
  CollectGarbage: MethodDefinition<_warpfarm_admin_v1_CollectGarbageRequest, _warpfarm_admin_v1_CollectGarbageResponse, _warpfarm_admin_v1_CollectGarbageRequest__Output, _warpfarm_admin_v1_CollectGarbageResponse__Output>
  DrainNode: MethodDefinition<_warpfarm_admin_v1_DrainNodeRequest, _warpfarm_admin_v1_DrainNodeResponse, _warpfarm_admin_v1_DrainNodeRequest__Output, _warpfarm_admin_v1_DrainNodeResponse__Output>
  ExtendSession: MethodDefinition<_warpfarm_admin_v1_ExtendSessionRequest, _warpfarm_admin_v1_ExtendSessionResponse, _warpfarm_admin_v1_ExtendSessionRequest__Output, _warpfarm_admin_v1_ExtendSessionResponse__Output>
  ListLeases: MethodDefinition<_warpfarm_admin_v1_ListLeasesRequest, _warpfarm_admin_v1_ListLeasesResponse, _warpfarm_admin_v1_ListLeasesRequest__Output, _warpfarm_admin_v1_ListLeasesResponse__Output>
  ListSessions: MethodDefinition<_warpfarm_admin_v1_ListSessionsRequest, _warpfarm_admin_v1_ListSessionsResponse, _warpfarm_admin_v1_ListSessionsRequest__Output, _warpfarm_admin_v1_ListSessionsResponse__Output>
  PauseSession: MethodDefinition<_warpfarm_admin_v1_PauseSessionRequest, _warpfarm_admin_v1_PauseSessionResponse, _warpfarm_admin_v1_PauseSessionRequest__Output, _warpfarm_admin_v1_PauseSessionResponse__Output>
}
