import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AppendRequest as _warpfarm_record_v1_AppendRequest, AppendRequest__Output as _warpfarm_record_v1_AppendRequest__Output } from './warpfarm/record/v1/AppendRequest.ts';
import type { AppendResponse as _warpfarm_record_v1_AppendResponse, AppendResponse__Output as _warpfarm_record_v1_AppendResponse__Output } from './warpfarm/record/v1/AppendResponse.ts';
import type { Best as _warpfarm_record_v1_Best, Best__Output as _warpfarm_record_v1_Best__Output } from './warpfarm/record/v1/Best.ts';
import type { BestRequest as _warpfarm_record_v1_BestRequest, BestRequest__Output as _warpfarm_record_v1_BestRequest__Output } from './warpfarm/record/v1/BestRequest.ts';
import type { BestResponse as _warpfarm_record_v1_BestResponse, BestResponse__Output as _warpfarm_record_v1_BestResponse__Output } from './warpfarm/record/v1/BestResponse.ts';
import type { Contender as _warpfarm_record_v1_Contender, Contender__Output as _warpfarm_record_v1_Contender__Output } from './warpfarm/record/v1/Contender.ts';
import type { DeleteRequest as _warpfarm_record_v1_DeleteRequest, DeleteRequest__Output as _warpfarm_record_v1_DeleteRequest__Output } from './warpfarm/record/v1/DeleteRequest.ts';
import type { DeleteResponse as _warpfarm_record_v1_DeleteResponse, DeleteResponse__Output as _warpfarm_record_v1_DeleteResponse__Output } from './warpfarm/record/v1/DeleteResponse.ts';
import type { ExportRequest as _warpfarm_record_v1_ExportRequest, ExportRequest__Output as _warpfarm_record_v1_ExportRequest__Output } from './warpfarm/record/v1/ExportRequest.ts';
import type { ExportResponse as _warpfarm_record_v1_ExportResponse, ExportResponse__Output as _warpfarm_record_v1_ExportResponse__Output } from './warpfarm/record/v1/ExportResponse.ts';
import type { Filter as _warpfarm_record_v1_Filter, Filter__Output as _warpfarm_record_v1_Filter__Output } from './warpfarm/record/v1/Filter.ts';
import type { ListReceiptKeysRequest as _warpfarm_record_v1_ListReceiptKeysRequest, ListReceiptKeysRequest__Output as _warpfarm_record_v1_ListReceiptKeysRequest__Output } from './warpfarm/record/v1/ListReceiptKeysRequest.ts';
import type { ListReceiptKeysResponse as _warpfarm_record_v1_ListReceiptKeysResponse, ListReceiptKeysResponse__Output as _warpfarm_record_v1_ListReceiptKeysResponse__Output } from './warpfarm/record/v1/ListReceiptKeysResponse.ts';
import type { QueryRequest as _warpfarm_record_v1_QueryRequest, QueryRequest__Output as _warpfarm_record_v1_QueryRequest__Output } from './warpfarm/record/v1/QueryRequest.ts';
import type { QueryResponse as _warpfarm_record_v1_QueryResponse, QueryResponse__Output as _warpfarm_record_v1_QueryResponse__Output } from './warpfarm/record/v1/QueryResponse.ts';
import type { ReceiptKey as _warpfarm_record_v1_ReceiptKey, ReceiptKey__Output as _warpfarm_record_v1_ReceiptKey__Output } from './warpfarm/record/v1/ReceiptKey.ts';
import type { RecordServiceClient as _warpfarm_record_v1_RecordServiceClient, RecordServiceDefinition as _warpfarm_record_v1_RecordServiceDefinition } from './warpfarm/record/v1/RecordService.ts';
import type { Retention as _warpfarm_record_v1_Retention, Retention__Output as _warpfarm_record_v1_Retention__Output } from './warpfarm/record/v1/Retention.ts';
import type { ShareRequest as _warpfarm_record_v1_ShareRequest, ShareRequest__Output as _warpfarm_record_v1_ShareRequest__Output } from './warpfarm/record/v1/ShareRequest.ts';
import type { ShareResponse as _warpfarm_record_v1_ShareResponse, ShareResponse__Output as _warpfarm_record_v1_ShareResponse__Output } from './warpfarm/record/v1/ShareResponse.ts';
import type { SignReceiptRequest as _warpfarm_record_v1_SignReceiptRequest, SignReceiptRequest__Output as _warpfarm_record_v1_SignReceiptRequest__Output } from './warpfarm/record/v1/SignReceiptRequest.ts';
import type { SignReceiptResponse as _warpfarm_record_v1_SignReceiptResponse, SignReceiptResponse__Output as _warpfarm_record_v1_SignReceiptResponse__Output } from './warpfarm/record/v1/SignReceiptResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  warpfarm: {
    record: {
      v1: {
        AppendRequest: MessageTypeDefinition<_warpfarm_record_v1_AppendRequest, _warpfarm_record_v1_AppendRequest__Output>
        AppendResponse: MessageTypeDefinition<_warpfarm_record_v1_AppendResponse, _warpfarm_record_v1_AppendResponse__Output>
        Best: MessageTypeDefinition<_warpfarm_record_v1_Best, _warpfarm_record_v1_Best__Output>
        BestRequest: MessageTypeDefinition<_warpfarm_record_v1_BestRequest, _warpfarm_record_v1_BestRequest__Output>
        BestResponse: MessageTypeDefinition<_warpfarm_record_v1_BestResponse, _warpfarm_record_v1_BestResponse__Output>
        Contender: MessageTypeDefinition<_warpfarm_record_v1_Contender, _warpfarm_record_v1_Contender__Output>
        DeleteRequest: MessageTypeDefinition<_warpfarm_record_v1_DeleteRequest, _warpfarm_record_v1_DeleteRequest__Output>
        DeleteResponse: MessageTypeDefinition<_warpfarm_record_v1_DeleteResponse, _warpfarm_record_v1_DeleteResponse__Output>
        ExportRequest: MessageTypeDefinition<_warpfarm_record_v1_ExportRequest, _warpfarm_record_v1_ExportRequest__Output>
        ExportResponse: MessageTypeDefinition<_warpfarm_record_v1_ExportResponse, _warpfarm_record_v1_ExportResponse__Output>
        Filter: MessageTypeDefinition<_warpfarm_record_v1_Filter, _warpfarm_record_v1_Filter__Output>
        ListReceiptKeysRequest: MessageTypeDefinition<_warpfarm_record_v1_ListReceiptKeysRequest, _warpfarm_record_v1_ListReceiptKeysRequest__Output>
        ListReceiptKeysResponse: MessageTypeDefinition<_warpfarm_record_v1_ListReceiptKeysResponse, _warpfarm_record_v1_ListReceiptKeysResponse__Output>
        QueryRequest: MessageTypeDefinition<_warpfarm_record_v1_QueryRequest, _warpfarm_record_v1_QueryRequest__Output>
        QueryResponse: MessageTypeDefinition<_warpfarm_record_v1_QueryResponse, _warpfarm_record_v1_QueryResponse__Output>
        ReceiptKey: MessageTypeDefinition<_warpfarm_record_v1_ReceiptKey, _warpfarm_record_v1_ReceiptKey__Output>
        RecordService: SubtypeConstructor<typeof grpc.Client, _warpfarm_record_v1_RecordServiceClient> & { service: _warpfarm_record_v1_RecordServiceDefinition }
        Retention: MessageTypeDefinition<_warpfarm_record_v1_Retention, _warpfarm_record_v1_Retention__Output>
        ShareRequest: MessageTypeDefinition<_warpfarm_record_v1_ShareRequest, _warpfarm_record_v1_ShareRequest__Output>
        ShareResponse: MessageTypeDefinition<_warpfarm_record_v1_ShareResponse, _warpfarm_record_v1_ShareResponse__Output>
        SignReceiptRequest: MessageTypeDefinition<_warpfarm_record_v1_SignReceiptRequest, _warpfarm_record_v1_SignReceiptRequest__Output>
        SignReceiptResponse: MessageTypeDefinition<_warpfarm_record_v1_SignReceiptResponse, _warpfarm_record_v1_SignReceiptResponse__Output>
      }
    }
  }
}

