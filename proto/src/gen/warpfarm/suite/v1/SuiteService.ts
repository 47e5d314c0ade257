// Original file: warpfarm/suite/v1/suite_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelRequest as _warpfarm_suite_v1_CancelRequest, CancelRequest__Output as _warpfarm_suite_v1_CancelRequest__Output } from '../../../warpfarm/suite/v1/CancelRequest.ts';
import type { CancelResponse as _warpfarm_suite_v1_CancelResponse, CancelResponse__Output as _warpfarm_suite_v1_CancelResponse__Output } from '../../../warpfarm/suite/v1/CancelResponse.ts';
import type { ClaimRequest as _warpfarm_suite_v1_ClaimRequest, ClaimRequest__Output as _warpfarm_suite_v1_ClaimRequest__Output } from '../../../warpfarm/suite/v1/ClaimRequest.ts';
import type { ClaimResponse as _warpfarm_suite_v1_ClaimResponse, ClaimResponse__Output as _warpfarm_suite_v1_ClaimResponse__Output } from '../../../warpfarm/suite/v1/ClaimResponse.ts';
import type { CreateRequest as _warpfarm_suite_v1_CreateRequest, CreateRequest__Output as _warpfarm_suite_v1_CreateRequest__Output } from '../../../warpfarm/suite/v1/CreateRequest.ts';
import type { CreateResponse as _warpfarm_suite_v1_CreateResponse, CreateResponse__Output as _warpfarm_suite_v1_CreateResponse__Output } from '../../../warpfarm/suite/v1/CreateResponse.ts';
import type { GetRequest as _warpfarm_suite_v1_GetRequest, GetRequest__Output as _warpfarm_suite_v1_GetRequest__Output } from '../../../warpfarm/suite/v1/GetRequest.ts';
import type { GetResponse as _warpfarm_suite_v1_GetResponse, GetResponse__Output as _warpfarm_suite_v1_GetResponse__Output } from '../../../warpfarm/suite/v1/GetResponse.ts';
import type { ListRequest as _warpfarm_suite_v1_ListRequest, ListRequest__Output as _warpfarm_suite_v1_ListRequest__Output } from '../../../warpfarm/suite/v1/ListRequest.ts';
import type { ListResponse as _warpfarm_suite_v1_ListResponse, ListResponse__Output as _warpfarm_suite_v1_ListResponse__Output } from '../../../warpfarm/suite/v1/ListResponse.ts';
import type { ReportRequest as _warpfarm_suite_v1_ReportRequest, ReportRequest__Output as _warpfarm_suite_v1_ReportRequest__Output } from '../../../warpfarm/suite/v1/ReportRequest.ts';
import type { ReportResponse as _warpfarm_suite_v1_ReportResponse, ReportResponse__Output as _warpfarm_suite_v1_ReportResponse__Output } from '../../../warpfarm/suite/v1/ReportResponse.ts';
import type { WatchRequest as _warpfarm_suite_v1_WatchRequest, WatchRequest__Output as _warpfarm_suite_v1_WatchRequest__Output } from '../../../warpfarm/suite/v1/WatchRequest.ts';
import type { WatchResponse as _warpfarm_suite_v1_WatchResponse, WatchResponse__Output as _warpfarm_suite_v1_WatchResponse__Output } from '../../../warpfarm/suite/v1/WatchResponse.ts';

export interface SuiteServiceClient extends grpc.Client {
  Cancel(argument: _warpfarm_suite_v1_CancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  Cancel(argument: _warpfarm_suite_v1_CancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  Cancel(argument: _warpfarm_suite_v1_CancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  Cancel(argument: _warpfarm_suite_v1_CancelRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  cancel(argument: _warpfarm_suite_v1_CancelRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  cancel(argument: _warpfarm_suite_v1_CancelRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  cancel(argument: _warpfarm_suite_v1_CancelRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;
  cancel(argument: _warpfarm_suite_v1_CancelRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_CancelResponse__Output>): grpc.ClientUnaryCall;

  Claim(argument: _warpfarm_suite_v1_ClaimRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  Claim(argument: _warpfarm_suite_v1_ClaimRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  Claim(argument: _warpfarm_suite_v1_ClaimRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  Claim(argument: _warpfarm_suite_v1_ClaimRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  claim(argument: _warpfarm_suite_v1_ClaimRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  claim(argument: _warpfarm_suite_v1_ClaimRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  claim(argument: _warpfarm_suite_v1_ClaimRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;
  claim(argument: _warpfarm_suite_v1_ClaimRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ClaimResponse__Output>): grpc.ClientUnaryCall;

  Create(argument: _warpfarm_suite_v1_CreateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _warpfarm_suite_v1_CreateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _warpfarm_suite_v1_CreateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  Create(argument: _warpfarm_suite_v1_CreateRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _warpfarm_suite_v1_CreateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _warpfarm_suite_v1_CreateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _warpfarm_suite_v1_CreateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;
  create(argument: _warpfarm_suite_v1_CreateRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_CreateResponse__Output>): grpc.ClientUnaryCall;

  Get(argument: _warpfarm_suite_v1_GetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _warpfarm_suite_v1_GetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _warpfarm_suite_v1_GetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  Get(argument: _warpfarm_suite_v1_GetRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _warpfarm_suite_v1_GetRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _warpfarm_suite_v1_GetRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _warpfarm_suite_v1_GetRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;
  get(argument: _warpfarm_suite_v1_GetRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_GetResponse__Output>): grpc.ClientUnaryCall;

  List(argument: _warpfarm_suite_v1_ListRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _warpfarm_suite_v1_ListRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _warpfarm_suite_v1_ListRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  List(argument: _warpfarm_suite_v1_ListRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _warpfarm_suite_v1_ListRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _warpfarm_suite_v1_ListRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _warpfarm_suite_v1_ListRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;
  list(argument: _warpfarm_suite_v1_ListRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ListResponse__Output>): grpc.ClientUnaryCall;

  Report(argument: _warpfarm_suite_v1_ReportRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  Report(argument: _warpfarm_suite_v1_ReportRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  Report(argument: _warpfarm_suite_v1_ReportRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  Report(argument: _warpfarm_suite_v1_ReportRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  report(argument: _warpfarm_suite_v1_ReportRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  report(argument: _warpfarm_suite_v1_ReportRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  report(argument: _warpfarm_suite_v1_ReportRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;
  report(argument: _warpfarm_suite_v1_ReportRequest, callback: grpc.requestCallback<_warpfarm_suite_v1_ReportResponse__Output>): grpc.ClientUnaryCall;

  Watch(argument: _warpfarm_suite_v1_WatchRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_suite_v1_WatchResponse__Output>;
  Watch(argument: _warpfarm_suite_v1_WatchRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_suite_v1_WatchResponse__Output>;
  watch(argument: _warpfarm_suite_v1_WatchRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_suite_v1_WatchResponse__Output>;
  watch(argument: _warpfarm_suite_v1_WatchRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_suite_v1_WatchResponse__Output>;

}

export interface SuiteServiceHandlers extends grpc.UntypedServiceImplementation {
  Cancel: grpc.handleUnaryCall<_warpfarm_suite_v1_CancelRequest__Output, _warpfarm_suite_v1_CancelResponse>;

  Claim: grpc.handleUnaryCall<_warpfarm_suite_v1_ClaimRequest__Output, _warpfarm_suite_v1_ClaimResponse>;

  Create: grpc.handleUnaryCall<_warpfarm_suite_v1_CreateRequest__Output, _warpfarm_suite_v1_CreateResponse>;

  Get: grpc.handleUnaryCall<_warpfarm_suite_v1_GetRequest__Output, _warpfarm_suite_v1_GetResponse>;

  List: grpc.handleUnaryCall<_warpfarm_suite_v1_ListRequest__Output, _warpfarm_suite_v1_ListResponse>;

  Report: grpc.handleUnaryCall<_warpfarm_suite_v1_ReportRequest__Output, _warpfarm_suite_v1_ReportResponse>;

  Watch: grpc.handleServerStreamingCall<_warpfarm_suite_v1_WatchRequest__Output, _warpfarm_suite_v1_WatchResponse>;

}

export interface SuiteServiceDefinition extends grpc.ServiceDefinition {
  Cancel: MethodDefinition<_warpfarm_suite_v1_CancelRequest, _warpfarm_suite_v1_CancelResponse, _warpfarm_suite_v1_CancelRequest__Output, _warpfarm_suite_v1_CancelResponse__Output>
  Claim: MethodDefinition<_warpfarm_suite_v1_ClaimRequest, _warpfarm_suite_v1_ClaimResponse, _warpfarm_suite_v1_ClaimRequest__Output, _warpfarm_suite_v1_ClaimResponse__Output>
  Create: MethodDefinition<_warpfarm_suite_v1_CreateRequest, _warpfarm_suite_v1_CreateResponse, _warpfarm_suite_v1_CreateRequest__Output, _warpfarm_suite_v1_CreateResponse__Output>
  Get: MethodDefinition<_warpfarm_suite_v1_GetRequest, _warpfarm_suite_v1_GetResponse, _warpfarm_suite_v1_GetRequest__Output, _warpfarm_suite_v1_GetResponse__Output>
  List: MethodDefinition<_warpfarm_suite_v1_ListRequest, _warpfarm_suite_v1_ListResponse, _warpfarm_suite_v1_ListRequest__Output, _warpfarm_suite_v1_ListResponse__Output>
  Report: MethodDefinition<_warpfarm_suite_v1_ReportRequest, _warpfarm_suite_v1_ReportResponse, _warpfarm_suite_v1_ReportRequest__Output, _warpfarm_suite_v1_ReportResponse__Output>
  Watch: MethodDefinition<_warpfarm_suite_v1_WatchRequest, _warpfarm_suite_v1_WatchResponse, _warpfarm_suite_v1_WatchRequest__Output, _warpfarm_suite_v1_WatchResponse__Output>
}
