// Original file: warpfarm/farm/v1/farm_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CloseSessionRequest as _warpfarm_farm_v1_CloseSessionRequest, CloseSessionRequest__Output as _warpfarm_farm_v1_CloseSessionRequest__Output } from '../../../warpfarm/farm/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse as _warpfarm_farm_v1_CloseSessionResponse, CloseSessionResponse__Output as _warpfarm_farm_v1_CloseSessionResponse__Output } from '../../../warpfarm/farm/v1/CloseSessionResponse.ts';
import type { ListNodesRequest as _warpfarm_farm_v1_ListNodesRequest, ListNodesRequest__Output as _warpfarm_farm_v1_ListNodesRequest__Output } from '../../../warpfarm/farm/v1/ListNodesRequest.ts';
import type { ListNodesResponse as _warpfarm_farm_v1_ListNodesResponse, ListNodesResponse__Output as _warpfarm_farm_v1_ListNodesResponse__Output } from '../../../warpfarm/farm/v1/ListNodesResponse.ts';
import type { MeasureRequest as _warpfarm_farm_v1_MeasureRequest, MeasureRequest__Output as _warpfarm_farm_v1_MeasureRequest__Output } from '../../../warpfarm/farm/v1/MeasureRequest.ts';
import type { MeasureResponse as _warpfarm_farm_v1_MeasureResponse, MeasureResponse__Output as _warpfarm_farm_v1_MeasureResponse__Output } from '../../../warpfarm/farm/v1/MeasureResponse.ts';
import type { OpenSessionRequest as _warpfarm_farm_v1_OpenSessionRequest, OpenSessionRequest__Output as _warpfarm_farm_v1_OpenSessionRequest__Output } from '../../../warpfarm/farm/v1/OpenSessionRequest.ts';
import type { OpenSessionResponse as _warpfarm_farm_v1_OpenSessionResponse, OpenSessionResponse__Output as _warpfarm_farm_v1_OpenSessionResponse__Output } from '../../../warpfarm/farm/v1/OpenSessionResponse.ts';
import type { SettleTrialsRequest as _warpfarm_farm_v1_SettleTrialsRequest, SettleTrialsRequest__Output as _warpfarm_farm_v1_SettleTrialsRequest__Output } from '../../../warpfarm/farm/v1/SettleTrialsRequest.ts';
import type { SettleTrialsResponse as _warpfarm_farm_v1_SettleTrialsResponse, SettleTrialsResponse__Output as _warpfarm_farm_v1_SettleTrialsResponse__Output } from '../../../warpfarm/farm/v1/SettleTrialsResponse.ts';
import type { WatchFarmRequest as _warpfarm_farm_v1_WatchFarmRequest, WatchFarmRequest__Output as _warpfarm_farm_v1_WatchFarmRequest__Output } from '../../../warpfarm/farm/v1/WatchFarmRequest.ts';
import type { WatchFarmResponse as _warpfarm_farm_v1_WatchFarmResponse, WatchFarmResponse__Output as _warpfarm_farm_v1_WatchFarmResponse__Output } from '../../../warpfarm/farm/v1/WatchFarmResponse.ts';

export interface FarmServiceClient extends grpc.Client {
  CloseSession(argument: _warpfarm_farm_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _warpfarm_farm_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _warpfarm_farm_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _warpfarm_farm_v1_CloseSessionRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _warpfarm_farm_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _warpfarm_farm_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _warpfarm_farm_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _warpfarm_farm_v1_CloseSessionRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;

  ListNodes(argument: _warpfarm_farm_v1_ListNodesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  ListNodes(argument: _warpfarm_farm_v1_ListNodesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  ListNodes(argument: _warpfarm_farm_v1_ListNodesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  ListNodes(argument: _warpfarm_farm_v1_ListNodesRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  listNodes(argument: _warpfarm_farm_v1_ListNodesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  listNodes(argument: _warpfarm_farm_v1_ListNodesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  listNodes(argument: _warpfarm_farm_v1_ListNodesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;
  listNodes(argument: _warpfarm_farm_v1_ListNodesRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_ListNodesResponse__Output>): grpc.ClientUnaryCall;

  Measure(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureResponse__Output>;
  Measure(options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureResponse__Output>;
  measure(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureResponse__Output>;
  measure(options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureResponse__Output>;

  OpenSession(argument: _warpfarm_farm_v1_OpenSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  OpenSession(argument: _warpfarm_farm_v1_OpenSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  OpenSession(argument: _warpfarm_farm_v1_OpenSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  OpenSession(argument: _warpfarm_farm_v1_OpenSessionRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  openSession(argument: _warpfarm_farm_v1_OpenSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  openSession(argument: _warpfarm_farm_v1_OpenSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  openSession(argument: _warpfarm_farm_v1_OpenSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;
  openSession(argument: _warpfarm_farm_v1_OpenSessionRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_OpenSessionResponse__Output>): grpc.ClientUnaryCall;

  SettleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  SettleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  SettleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  SettleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  settleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  settleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  settleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;
  settleTrials(argument: _warpfarm_farm_v1_SettleTrialsRequest, callback: grpc.requestCallback<_warpfarm_farm_v1_SettleTrialsResponse__Output>): grpc.ClientUnaryCall;

  WatchFarm(argument: _warpfarm_farm_v1_WatchFarmRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_farm_v1_WatchFarmResponse__Output>;
  WatchFarm(argument: _warpfarm_farm_v1_WatchFarmRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_farm_v1_WatchFarmResponse__Output>;
  watchFarm(argument: _warpfarm_farm_v1_WatchFarmRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_farm_v1_WatchFarmResponse__Output>;
  watchFarm(argument: _warpfarm_farm_v1_WatchFarmRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_farm_v1_WatchFarmResponse__Output>;

}

export interface FarmServiceHandlers extends grpc.UntypedServiceImplementation {
  CloseSession: grpc.handleUnaryCall<_warpfarm_farm_v1_CloseSessionRequest__Output, _warpfarm_farm_v1_CloseSessionResponse>;

  ListNodes: grpc.handleUnaryCall<_warpfarm_farm_v1_ListNodesRequest__Output, _warpfarm_farm_v1_ListNodesResponse>;

  Measure: grpc.handleBidiStreamingCall<_warpfarm_farm_v1_MeasureRequest__Output, _warpfarm_farm_v1_MeasureResponse>;

  OpenSession: grpc.handleUnaryCall<_warpfarm_farm_v1_OpenSessionRequest__Output, _warpfarm_farm_v1_OpenSessionResponse>;

  SettleTrials: grpc.handleUnaryCall<_warpfarm_farm_v1_SettleTrialsRequest__Output, _warpfarm_farm_v1_SettleTrialsResponse>;

  WatchFarm: grpc.handleServerStreamingCall<_warpfarm_farm_v1_WatchFarmRequest__Output, _warpfarm_farm_v1_WatchFarmResponse>;

}

export interface FarmServiceDefinition extends grpc.ServiceDefinition {
  CloseSession: MethodDefinition<_warpfarm_farm_v1_CloseSessionRequest, _warpfarm_farm_v1_CloseSessionResponse, _warpfarm_farm_v1_CloseSessionRequest__Output, _warpfarm_farm_v1_CloseSessionResponse__Output>
  ListNodes: MethodDefinition<_warpfarm_farm_v1_ListNodesRequest, _warpfarm_farm_v1_ListNodesResponse, _warpfarm_farm_v1_ListNodesRequest__Output, _warpfarm_farm_v1_ListNodesResponse__Output>
  Measure: MethodDefinition<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureResponse, _warpfarm_farm_v1_MeasureRequest__Output, _warpfarm_farm_v1_MeasureResponse__Output>
  OpenSession: MethodDefinition<_warpfarm_farm_v1_OpenSessionRequest, _warpfarm_farm_v1_OpenSessionResponse, _warpfarm_farm_v1_OpenSessionRequest__Output, _warpfarm_farm_v1_OpenSessionResponse__Output>
  SettleTrials: MethodDefinition<_warpfarm_farm_v1_SettleTrialsRequest, _warpfarm_farm_v1_SettleTrialsResponse, _warpfarm_farm_v1_SettleTrialsRequest__Output, _warpfarm_farm_v1_SettleTrialsResponse__Output>
  WatchFarm: MethodDefinition<_warpfarm_farm_v1_WatchFarmRequest, _warpfarm_farm_v1_WatchFarmResponse, _warpfarm_farm_v1_WatchFarmRequest__Output, _warpfarm_farm_v1_WatchFarmResponse__Output>
}
