// Original file: warpfarm/record/v1/record_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AppendRequest as _warpfarm_record_v1_AppendRequest, AppendRequest__Output as _warpfarm_record_v1_AppendRequest__Output } from '../../../warpfarm/record/v1/AppendRequest.ts';
import type { AppendResponse as _warpfarm_record_v1_AppendResponse, AppendResponse__Output as _warpfarm_record_v1_AppendResponse__Output } from '../../../warpfarm/record/v1/AppendResponse.ts';
import type { BestRequest as _warpfarm_record_v1_BestRequest, BestRequest__Output as _warpfarm_record_v1_BestRequest__Output } from '../../../warpfarm/record/v1/BestRequest.ts';
import type { BestResponse as _warpfarm_record_v1_BestResponse, BestResponse__Output as _warpfarm_record_v1_BestResponse__Output } from '../../../warpfarm/record/v1/BestResponse.ts';
import type { DeleteRequest as _warpfarm_record_v1_DeleteRequest, DeleteRequest__Output as _warpfarm_record_v1_DeleteRequest__Output } from '../../../warpfarm/record/v1/DeleteRequest.ts';
import type { DeleteResponse as _warpfarm_record_v1_DeleteResponse, DeleteResponse__Output as _warpfarm_record_v1_DeleteResponse__Output } from '../../../warpfarm/record/v1/DeleteResponse.ts';
import type { ExportRequest as _warpfarm_record_v1_ExportRequest, ExportRequest__Output as _warpfarm_record_v1_ExportRequest__Output } from '../../../warpfarm/record/v1/ExportRequest.ts';
import type { ExportResponse as _warpfarm_record_v1_ExportResponse, ExportResponse__Output as _warpfarm_record_v1_ExportResponse__Output } from '../../../warpfarm/record/v1/ExportResponse.ts';
import type { ListReceiptKeysRequest as _warpfarm_record_v1_ListReceiptKeysRequest, ListReceiptKeysRequest__Output as _warpfarm_record_v1_ListReceiptKeysRequest__Output } from '../../../warpfarm/record/v1/ListReceiptKeysRequest.ts';
import type { ListReceiptKeysResponse as _warpfarm_record_v1_ListReceiptKeysResponse, ListReceiptKeysResponse__Output as _warpfarm_record_v1_ListReceiptKeysResponse__Output } from '../../../warpfarm/record/v1/ListReceiptKeysResponse.ts';
import type { QueryRequest as _warpfarm_record_v1_QueryRequest, QueryRequest__Output as _warpfarm_record_v1_QueryRequest__Output } from '../../../warpfarm/record/v1/QueryRequest.ts';
import type { QueryResponse as _warpfarm_record_v1_QueryResponse, QueryResponse__Output as _warpfarm_record_v1_QueryResponse__Output } from '../../../warpfarm/record/v1/QueryResponse.ts';
import type { ShareRequest as _warpfarm_record_v1_ShareRequest, ShareRequest__Output as _warpfarm_record_v1_ShareRequest__Output } from '../../../warpfarm/record/v1/ShareRequest.ts';
import type { ShareResponse as _warpfarm_record_v1_ShareResponse, ShareResponse__Output as _warpfarm_record_v1_ShareResponse__Output } from '../../../warpfarm/record/v1/ShareResponse.ts';
import type { SignReceiptRequest as _warpfarm_record_v1_SignReceiptRequest, SignReceiptRequest__Output as _warpfarm_record_v1_SignReceiptRequest__Output } from '../../../warpfarm/record/v1/SignReceiptRequest.ts';
import type { SignReceiptResponse as _warpfarm_record_v1_SignReceiptResponse, SignReceiptResponse__Output as _warpfarm_record_v1_SignReceiptResponse__Output } from '../../../warpfarm/record/v1/SignReceiptResponse.ts';

export interface RecordServiceClient extends grpc.Client {
  Append(argument: _warpfarm_record_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _warpfarm_record_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _warpfarm_record_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  Append(argument: _warpfarm_record_v1_AppendRequest, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _warpfarm_record_v1_AppendRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _warpfarm_record_v1_AppendRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _warpfarm_record_v1_AppendRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;
  append(argument: _warpfarm_record_v1_AppendRequest, callback: grpc.requestCallback<_warpfarm_record_v1_AppendResponse__Output>): grpc.ClientUnaryCall;

  Best(argument: _warpfarm_record_v1_BestRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  Best(argument: _warpfarm_record_v1_BestRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  Best(argument: _warpfarm_record_v1_BestRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  Best(argument: _warpfarm_record_v1_BestRequest, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  best(argument: _warpfarm_record_v1_BestRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  best(argument: _warpfarm_record_v1_BestRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  best(argument: _warpfarm_record_v1_BestRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;
  best(argument: _warpfarm_record_v1_BestRequest, callback: grpc.requestCallback<_warpfarm_record_v1_BestResponse__Output>): grpc.ClientUnaryCall;

  Delete(argument: _warpfarm_record_v1_DeleteRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _warpfarm_record_v1_DeleteRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _warpfarm_record_v1_DeleteRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  Delete(argument: _warpfarm_record_v1_DeleteRequest, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _warpfarm_record_v1_DeleteRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _warpfarm_record_v1_DeleteRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _warpfarm_record_v1_DeleteRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;
  delete(argument: _warpfarm_record_v1_DeleteRequest, callback: grpc.requestCallback<_warpfarm_record_v1_DeleteResponse__Output>): grpc.ClientUnaryCall;

  Export(argument: _warpfarm_record_v1_ExportRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_record_v1_ExportResponse__Output>;
  Export(argument: _warpfarm_record_v1_ExportRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_record_v1_ExportResponse__Output>;
  export(argument: _warpfarm_record_v1_ExportRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_record_v1_ExportResponse__Output>;
  export(argument: _warpfarm_record_v1_ExportRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_warpfarm_record_v1_ExportResponse__Output>;

  ListReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  ListReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  ListReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  ListReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  listReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  listReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  listReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;
  listReceiptKeys(argument: _warpfarm_record_v1_ListReceiptKeysRequest, callback: grpc.requestCallback<_warpfarm_record_v1_ListReceiptKeysResponse__Output>): grpc.ClientUnaryCall;

  Query(argument: _warpfarm_record_v1_QueryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  Query(argument: _warpfarm_record_v1_QueryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  Query(argument: _warpfarm_record_v1_QueryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  Query(argument: _warpfarm_record_v1_QueryRequest, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  query(argument: _warpfarm_record_v1_QueryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  query(argument: _warpfarm_record_v1_QueryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  query(argument: _warpfarm_record_v1_QueryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;
  query(argument: _warpfarm_record_v1_QueryRequest, callback: grpc.requestCallback<_warpfarm_record_v1_QueryResponse__Output>): grpc.ClientUnaryCall;

  Share(argument: _warpfarm_record_v1_ShareRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  Share(argument: _warpfarm_record_v1_ShareRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  Share(argument: _warpfarm_record_v1_ShareRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  Share(argument: _warpfarm_record_v1_ShareRequest, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  share(argument: _warpfarm_record_v1_ShareRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  share(argument: _warpfarm_record_v1_ShareRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  share(argument: _warpfarm_record_v1_ShareRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;
  share(argument: _warpfarm_record_v1_ShareRequest, callback: grpc.requestCallback<_warpfarm_record_v1_ShareResponse__Output>): grpc.ClientUnaryCall;

  SignReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  SignReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  SignReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  SignReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  signReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  signReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  signReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;
  signReceipt(argument: _warpfarm_record_v1_SignReceiptRequest, callback: grpc.requestCallback<_warpfarm_record_v1_SignReceiptResponse__Output>): grpc.ClientUnaryCall;

}

export interface RecordServiceHandlers extends grpc.UntypedServiceImplementation {
  Append: grpc.handleUnaryCall<_warpfarm_record_v1_AppendRequest__Output, _warpfarm_record_v1_AppendResponse>;

  Best: grpc.handleUnaryCall<_warpfarm_record_v1_BestRequest__Output, _warpfarm_record_v1_BestResponse>;

  Delete: grpc.handleUnaryCall<_warpfarm_record_v1_DeleteRequest__Output, _warpfarm_record_v1_DeleteResponse>;

  Export: grpc.handleServerStreamingCall<_warpfarm_record_v1_ExportRequest__Output, _warpfarm_record_v1_ExportResponse>;

  ListReceiptKeys: grpc.handleUnaryCall<_warpfarm_record_v1_ListReceiptKeysRequest__Output, _warpfarm_record_v1_ListReceiptKeysResponse>;

  Query: grpc.handleUnaryCall<_warpfarm_record_v1_QueryRequest__Output, _warpfarm_record_v1_QueryResponse>;

  Share: grpc.handleUnaryCall<_warpfarm_record_v1_ShareRequest__Output, _warpfarm_record_v1_ShareResponse>;

  SignReceipt: grpc.handleUnaryCall<_warpfarm_record_v1_SignReceiptRequest__Output, _warpfarm_record_v1_SignReceiptResponse>;

}

export interface RecordServiceDefinition extends grpc.ServiceDefinition {
  Append: MethodDefinition<_warpfarm_record_v1_AppendRequest, _warpfarm_record_v1_AppendResponse, _warpfarm_record_v1_AppendRequest__Output, _warpfarm_record_v1_AppendResponse__Output>
  Best: MethodDefinition<_warpfarm_record_v1_BestRequest, _warpfarm_record_v1_BestResponse, _warpfarm_record_v1_BestRequest__Output, _warpfarm_record_v1_BestResponse__Output>
  Delete: MethodDefinition<_warpfarm_record_v1_DeleteRequest, _warpfarm_record_v1_DeleteResponse, _warpfarm_record_v1_DeleteRequest__Output, _warpfarm_record_v1_DeleteResponse__Output>
  Export: MethodDefinition<_warpfarm_record_v1_ExportRequest, _warpfarm_record_v1_ExportResponse, _warpfarm_record_v1_ExportRequest__Output, _warpfarm_record_v1_ExportResponse__Output>
  ListReceiptKeys: MethodDefinition<_warpfarm_record_v1_ListReceiptKeysRequest, _warpfarm_record_v1_ListReceiptKeysResponse, _warpfarm_record_v1_ListReceiptKeysRequest__Output, _warpfarm_record_v1_ListReceiptKeysResponse__Output>
  Query: MethodDefinition<_warpfarm_record_v1_QueryRequest, _warpfarm_record_v1_QueryResponse, _warpfarm_record_v1_QueryRequest__Output, _warpfarm_record_v1_QueryResponse__Output>
  Share: MethodDefinition<_warpfarm_record_v1_ShareRequest, _warpfarm_record_v1_ShareResponse, _warpfarm_record_v1_ShareRequest__Output, _warpfarm_record_v1_ShareResponse__Output>
  SignReceipt: MethodDefinition<_warpfarm_record_v1_SignReceiptRequest, _warpfarm_record_v1_SignReceiptResponse, _warpfarm_record_v1_SignReceiptRequest__Output, _warpfarm_record_v1_SignReceiptResponse__Output>
}
