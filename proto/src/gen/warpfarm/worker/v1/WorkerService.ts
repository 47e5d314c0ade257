// Original file: warpfarm/worker/v1/worker_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { RegisterRequest as _warpfarm_worker_v1_RegisterRequest, RegisterRequest__Output as _warpfarm_worker_v1_RegisterRequest__Output } from '../../../warpfarm/worker/v1/RegisterRequest.ts';
import type { RegisterResponse as _warpfarm_worker_v1_RegisterResponse, RegisterResponse__Output as _warpfarm_worker_v1_RegisterResponse__Output } from '../../../warpfarm/worker/v1/RegisterResponse.ts';
import type { SynchronizeRequest as _warpfarm_worker_v1_SynchronizeRequest, SynchronizeRequest__Output as _warpfarm_worker_v1_SynchronizeRequest__Output } from '../../../warpfarm/worker/v1/SynchronizeRequest.ts';
import type { SynchronizeResponse as _warpfarm_worker_v1_SynchronizeResponse, SynchronizeResponse__Output as _warpfarm_worker_v1_SynchronizeResponse__Output } from '../../../warpfarm/worker/v1/SynchronizeResponse.ts';

export interface WorkerServiceClient extends grpc.Client {
  Register(argument: _warpfarm_worker_v1_RegisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _warpfarm_worker_v1_RegisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _warpfarm_worker_v1_RegisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _warpfarm_worker_v1_RegisterRequest, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _warpfarm_worker_v1_RegisterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _warpfarm_worker_v1_RegisterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _warpfarm_worker_v1_RegisterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _warpfarm_worker_v1_RegisterRequest, callback: grpc.requestCallback<_warpfarm_worker_v1_RegisterResponse__Output>): grpc.ClientUnaryCall;

  Synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  Synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  Synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  Synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;
  synchronize(argument: _warpfarm_worker_v1_SynchronizeRequest, callback: grpc.requestCallback<_warpfarm_worker_v1_SynchronizeResponse__Output>): grpc.ClientUnaryCall;

  SynchronizeStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse__Output>;
  SynchronizeStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse__Output>;
  synchronizeStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse__Output>;
  synchronizeStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse__Output>;

}

export interface WorkerServiceHandlers extends grpc.UntypedServiceImplementation {
  Register: grpc.handleUnaryCall<_warpfarm_worker_v1_RegisterRequest__Output, _warpfarm_worker_v1_RegisterResponse>;

  Synchronize: grpc.handleUnaryCall<_warpfarm_worker_v1_SynchronizeRequest__Output, _warpfarm_worker_v1_SynchronizeResponse>;

  SynchronizeStream: grpc.handleBidiStreamingCall<_warpfarm_worker_v1_SynchronizeRequest__Output, _warpfarm_worker_v1_SynchronizeResponse>;

}

export interface WorkerServiceDefinition extends grpc.ServiceDefinition {
  Register: MethodDefinition<_warpfarm_worker_v1_RegisterRequest, _warpfarm_worker_v1_RegisterResponse, _warpfarm_worker_v1_RegisterRequest__Output, _warpfarm_worker_v1_RegisterResponse__Output>
  Synchronize: MethodDefinition<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse, _warpfarm_worker_v1_SynchronizeRequest__Output, _warpfarm_worker_v1_SynchronizeResponse__Output>
  SynchronizeStream: MethodDefinition<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeResponse, _warpfarm_worker_v1_SynchronizeRequest__Output, _warpfarm_worker_v1_SynchronizeResponse__Output>
}
