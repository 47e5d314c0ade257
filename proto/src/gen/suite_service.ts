import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { CancelRequest as _warpfarm_suite_v1_CancelRequest, CancelRequest__Output as _warpfarm_suite_v1_CancelRequest__Output } from './warpfarm/suite/v1/CancelRequest.ts';
import type { CancelResponse as _warpfarm_suite_v1_CancelResponse, CancelResponse__Output as _warpfarm_suite_v1_CancelResponse__Output } from './warpfarm/suite/v1/CancelResponse.ts';
import type { ClaimRequest as _warpfarm_suite_v1_ClaimRequest, ClaimRequest__Output as _warpfarm_suite_v1_ClaimRequest__Output } from './warpfarm/suite/v1/ClaimRequest.ts';
import type { ClaimResponse as _warpfarm_suite_v1_ClaimResponse, ClaimResponse__Output as _warpfarm_suite_v1_ClaimResponse__Output } from './warpfarm/suite/v1/ClaimResponse.ts';
import type { ClaimedTask as _warpfarm_suite_v1_ClaimedTask, ClaimedTask__Output as _warpfarm_suite_v1_ClaimedTask__Output } from './warpfarm/suite/v1/ClaimedTask.ts';
import type { CreateRequest as _warpfarm_suite_v1_CreateRequest, CreateRequest__Output as _warpfarm_suite_v1_CreateRequest__Output } from './warpfarm/suite/v1/CreateRequest.ts';
import type { CreateResponse as _warpfarm_suite_v1_CreateResponse, CreateResponse__Output as _warpfarm_suite_v1_CreateResponse__Output } from './warpfarm/suite/v1/CreateResponse.ts';
import type { GetRequest as _warpfarm_suite_v1_GetRequest, GetRequest__Output as _warpfarm_suite_v1_GetRequest__Output } from './warpfarm/suite/v1/GetRequest.ts';
import type { GetResponse as _warpfarm_suite_v1_GetResponse, GetResponse__Output as _warpfarm_suite_v1_GetResponse__Output } from './warpfarm/suite/v1/GetResponse.ts';
import type { ListRequest as _warpfarm_suite_v1_ListRequest, ListRequest__Output as _warpfarm_suite_v1_ListRequest__Output } from './warpfarm/suite/v1/ListRequest.ts';
import type { ListResponse as _warpfarm_suite_v1_ListResponse, ListResponse__Output as _warpfarm_suite_v1_ListResponse__Output } from './warpfarm/suite/v1/ListResponse.ts';
import type { NewTask as _warpfarm_suite_v1_NewTask, NewTask__Output as _warpfarm_suite_v1_NewTask__Output } from './warpfarm/suite/v1/NewTask.ts';
import type { ReportRequest as _warpfarm_suite_v1_ReportRequest, ReportRequest__Output as _warpfarm_suite_v1_ReportRequest__Output } from './warpfarm/suite/v1/ReportRequest.ts';
import type { ReportResponse as _warpfarm_suite_v1_ReportResponse, ReportResponse__Output as _warpfarm_suite_v1_ReportResponse__Output } from './warpfarm/suite/v1/ReportResponse.ts';
import type { Suite as _warpfarm_suite_v1_Suite, Suite__Output as _warpfarm_suite_v1_Suite__Output } from './warpfarm/suite/v1/Suite.ts';
import type { SuiteServiceClient as _warpfarm_suite_v1_SuiteServiceClient, SuiteServiceDefinition as _warpfarm_suite_v1_SuiteServiceDefinition } from './warpfarm/suite/v1/SuiteService.ts';
import type { Task as _warpfarm_suite_v1_Task, Task__Output as _warpfarm_suite_v1_Task__Output } from './warpfarm/suite/v1/Task.ts';
import type { WatchRequest as _warpfarm_suite_v1_WatchRequest, WatchRequest__Output as _warpfarm_suite_v1_WatchRequest__Output } from './warpfarm/suite/v1/WatchRequest.ts';
import type { WatchResponse as _warpfarm_suite_v1_WatchResponse, WatchResponse__Output as _warpfarm_suite_v1_WatchResponse__Output } from './warpfarm/suite/v1/WatchResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  warpfarm: {
    suite: {
      v1: {
        CancelRequest: MessageTypeDefinition<_warpfarm_suite_v1_CancelRequest, _warpfarm_suite_v1_CancelRequest__Output>
        CancelResponse: MessageTypeDefinition<_warpfarm_suite_v1_CancelResponse, _warpfarm_suite_v1_CancelResponse__Output>
        ClaimRequest: MessageTypeDefinition<_warpfarm_suite_v1_ClaimRequest, _warpfarm_suite_v1_ClaimRequest__Output>
        ClaimResponse: MessageTypeDefinition<_warpfarm_suite_v1_ClaimResponse, _warpfarm_suite_v1_ClaimResponse__Output>
        ClaimedTask: MessageTypeDefinition<_warpfarm_suite_v1_ClaimedTask, _warpfarm_suite_v1_ClaimedTask__Output>
        CreateRequest: MessageTypeDefinition<_warpfarm_suite_v1_CreateRequest, _warpfarm_suite_v1_CreateRequest__Output>
        CreateResponse: MessageTypeDefinition<_warpfarm_suite_v1_CreateResponse, _warpfarm_suite_v1_CreateResponse__Output>
        GetRequest: MessageTypeDefinition<_warpfarm_suite_v1_GetRequest, _warpfarm_suite_v1_GetRequest__Output>
        GetResponse: MessageTypeDefinition<_warpfarm_suite_v1_GetResponse, _warpfarm_suite_v1_GetResponse__Output>
        ListRequest: MessageTypeDefinition<_warpfarm_suite_v1_ListRequest, _warpfarm_suite_v1_ListRequest__Output>
        ListResponse: MessageTypeDefinition<_warpfarm_suite_v1_ListResponse, _warpfarm_suite_v1_ListResponse__Output>
        NewTask: MessageTypeDefinition<_warpfarm_suite_v1_NewTask, _warpfarm_suite_v1_NewTask__Output>
        ReportRequest: MessageTypeDefinition<_warpfarm_suite_v1_ReportRequest, _warpfarm_suite_v1_ReportRequest__Output>
        ReportResponse: MessageTypeDefinition<_warpfarm_suite_v1_ReportResponse, _warpfarm_suite_v1_ReportResponse__Output>
        Suite: MessageTypeDefinition<_warpfarm_suite_v1_Suite, _warpfarm_suite_v1_Suite__Output>
        SuiteService: SubtypeConstructor<typeof grpc.Client, _warpfarm_suite_v1_SuiteServiceClient> & { service: _warpfarm_suite_v1_SuiteServiceDefinition }
        Task: MessageTypeDefinition<_warpfarm_suite_v1_Task, _warpfarm_suite_v1_Task__Output>
        WatchRequest: MessageTypeDefinition<_warpfarm_suite_v1_WatchRequest, _warpfarm_suite_v1_WatchRequest__Output>
        WatchResponse: MessageTypeDefinition<_warpfarm_suite_v1_WatchResponse, _warpfarm_suite_v1_WatchResponse__Output>
      }
    }
  }
}

