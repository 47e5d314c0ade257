// Original file: warpfarm/admin/v1/admin_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelSessionRequest as _warpfarm_admin_v1_CancelSessionRequest, CancelSessionRequest__Output as _warpfarm_admin_v1_CancelSessionRequest__Output } from '../../../warpfarm/admin/v1/CancelSessionRequest.ts';
import type { CancelSessionResponse as _warpfarm_admin_v1_CancelSessionResponse, CancelSessionResponse__Output as _warpfarm_admin_v1_CancelSessionResponse__Output } from '../../../warpfarm/admin/v1/CancelSessionResponse.ts';
import type { CollectGarbageRequest as _warpfarm_admin_v1_CollectGarbageRequest, CollectGarbageRequest__Output as _warpfarm_admin_v1_CollectGarbageRequest__Output } from '../../../warpfarm/admin/v1/CollectGarbageRequest.ts';
import type { CollectGarbageResponse as _warpfarm_admin_v1_CollectGarbageResponse, CollectGarbageResponse__Output as _warpfarm_admin_v1_CollectGarbageResponse__Output } from '../../../warpfarm/admin/v1/CollectGarbageResponse.ts';
import type { DrainNodeRequest as _warpfarm_admin_v1_DrainNodeRequest, DrainNodeRequest__Output as _warpfarm_admin_v1_DrainNodeRequest__Output } from '../../../warpfarm/admin/v1/DrainNodeRequest.ts';
import type { DrainNodeResponse as _warpfarm_admin_v1_DrainNodeResponse, DrainNodeResponse__Output as _warpfarm_admin_v1_DrainNodeResponse__Output } from '../../../warpfarm/admin/v1/DrainNodeResponse.ts';
import type { ListSessionsRequest as _warpfarm_admin_v1_ListSessionsRequest, ListSessionsRequest__Output as _warpfarm_admin_v1_ListSessionsRequest__Output } from '../../../warpfarm/admin/v1/ListSessionsRequest.ts';
import type { ListSessionsResponse as _warpfarm_admin_v1_ListSessionsResponse, ListSessionsResponse__Output as _warpfarm_admin_v1_ListSessionsResponse__Output } from '../../../warpfarm/admin/v1/ListSessionsResponse.ts';

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

  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _warpfarm_admin_v1_ListSessionsRequest, callback: grpc.requestCallback<_warpfarm_admin_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;

}

export interface AdminServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelSession: grpc.handleUnaryCall<_warpfarm_admin_v1_CancelSessionRequest__Output, _warpfarm_admin_v1_CancelSessionResponse>;

  CollectGarbage: grpc.handleUnaryCall<_warpfarm_admin_v1_CollectGarbageRequest__Output, _warpfarm_admin_v1_CollectGarbageResponse>;

  DrainNode: grpc.handleUnaryCall<_warpfarm_admin_v1_DrainNodeRequest__Output, _warpfarm_admin_v1_DrainNodeResponse>;

  ListSessions: grpc.handleUnaryCall<_warpfarm_admin_v1_ListSessionsRequest__Output, _warpfarm_admin_v1_ListSessionsResponse>;

}

export interface AdminServiceDefinition extends grpc.ServiceDefinition {
  CancelSession: MethodDefinition<_warpfarm_admin_v1_CancelSessionRequest, _warpfarm_admin_v1_CancelSessionResponse, _warpfarm_admin_v1_CancelSessionRequest__Output, _warpfarm_admin_v1_CancelSessionResponse__Output>
  CollectGarbage: MethodDefinition<_warpfarm_admin_v1_CollectGarbageRequest, _warpfarm_admin_v1_CollectGarbageResponse, _warpfarm_admin_v1_CollectGarbageRequest__Output, _warpfarm_admin_v1_CollectGarbageResponse__Output>
  DrainNode: MethodDefinition<_warpfarm_admin_v1_DrainNodeRequest, _warpfarm_admin_v1_DrainNodeResponse, _warpfarm_admin_v1_DrainNodeRequest__Output, _warpfarm_admin_v1_DrainNodeResponse__Output>
  ListSessions: MethodDefinition<_warpfarm_admin_v1_ListSessionsRequest, _warpfarm_admin_v1_ListSessionsResponse, _warpfarm_admin_v1_ListSessionsRequest__Output, _warpfarm_admin_v1_ListSessionsResponse__Output>
}
