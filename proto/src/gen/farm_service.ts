import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { CloseSessionRequest as _warpfarm_farm_v1_CloseSessionRequest, CloseSessionRequest__Output as _warpfarm_farm_v1_CloseSessionRequest__Output } from './warpfarm/farm/v1/CloseSessionRequest.ts';
import type { CloseSessionResponse as _warpfarm_farm_v1_CloseSessionResponse, CloseSessionResponse__Output as _warpfarm_farm_v1_CloseSessionResponse__Output } from './warpfarm/farm/v1/CloseSessionResponse.ts';
import type { Device as _warpfarm_farm_v1_Device, Device__Output as _warpfarm_farm_v1_Device__Output } from './warpfarm/farm/v1/Device.ts';
import type { FarmServiceClient as _warpfarm_farm_v1_FarmServiceClient, FarmServiceDefinition as _warpfarm_farm_v1_FarmServiceDefinition } from './warpfarm/farm/v1/FarmService.ts';
import type { FarmSnapshot as _warpfarm_farm_v1_FarmSnapshot, FarmSnapshot__Output as _warpfarm_farm_v1_FarmSnapshot__Output } from './warpfarm/farm/v1/FarmSnapshot.ts';
import type { ListNodesRequest as _warpfarm_farm_v1_ListNodesRequest, ListNodesRequest__Output as _warpfarm_farm_v1_ListNodesRequest__Output } from './warpfarm/farm/v1/ListNodesRequest.ts';
import type { ListNodesResponse as _warpfarm_farm_v1_ListNodesResponse, ListNodesResponse__Output as _warpfarm_farm_v1_ListNodesResponse__Output } from './warpfarm/farm/v1/ListNodesResponse.ts';
import type { MeasureRequest as _warpfarm_farm_v1_MeasureRequest, MeasureRequest__Output as _warpfarm_farm_v1_MeasureRequest__Output } from './warpfarm/farm/v1/MeasureRequest.ts';
import type { MeasureResponse as _warpfarm_farm_v1_MeasureResponse, MeasureResponse__Output as _warpfarm_farm_v1_MeasureResponse__Output } from './warpfarm/farm/v1/MeasureResponse.ts';
import type { Node as _warpfarm_farm_v1_Node, Node__Output as _warpfarm_farm_v1_Node__Output } from './warpfarm/farm/v1/Node.ts';
import type { OpenSessionRequest as _warpfarm_farm_v1_OpenSessionRequest, OpenSessionRequest__Output as _warpfarm_farm_v1_OpenSessionRequest__Output } from './warpfarm/farm/v1/OpenSessionRequest.ts';
import type { OpenSessionResponse as _warpfarm_farm_v1_OpenSessionResponse, OpenSessionResponse__Output as _warpfarm_farm_v1_OpenSessionResponse__Output } from './warpfarm/farm/v1/OpenSessionResponse.ts';
import type { Provenance as _warpfarm_farm_v1_Provenance, Provenance__Output as _warpfarm_farm_v1_Provenance__Output } from './warpfarm/farm/v1/Provenance.ts';
import type { Queue as _warpfarm_farm_v1_Queue, Queue__Output as _warpfarm_farm_v1_Queue__Output } from './warpfarm/farm/v1/Queue.ts';
import type { Reason as _warpfarm_farm_v1_Reason, Reason__Output as _warpfarm_farm_v1_Reason__Output } from './warpfarm/farm/v1/Reason.ts';
import type { Session as _warpfarm_farm_v1_Session, Session__Output as _warpfarm_farm_v1_Session__Output } from './warpfarm/farm/v1/Session.ts';
import type { SettleTrialsRequest as _warpfarm_farm_v1_SettleTrialsRequest, SettleTrialsRequest__Output as _warpfarm_farm_v1_SettleTrialsRequest__Output } from './warpfarm/farm/v1/SettleTrialsRequest.ts';
import type { SettleTrialsResponse as _warpfarm_farm_v1_SettleTrialsResponse, SettleTrialsResponse__Output as _warpfarm_farm_v1_SettleTrialsResponse__Output } from './warpfarm/farm/v1/SettleTrialsResponse.ts';
import type { WatchFarmRequest as _warpfarm_farm_v1_WatchFarmRequest, WatchFarmRequest__Output as _warpfarm_farm_v1_WatchFarmRequest__Output } from './warpfarm/farm/v1/WatchFarmRequest.ts';
import type { WatchFarmResponse as _warpfarm_farm_v1_WatchFarmResponse, WatchFarmResponse__Output as _warpfarm_farm_v1_WatchFarmResponse__Output } from './warpfarm/farm/v1/WatchFarmResponse.ts';
import type { DeviceFacts as _warpfarm_measure_v1_DeviceFacts, DeviceFacts__Output as _warpfarm_measure_v1_DeviceFacts__Output } from './warpfarm/measure/v1/DeviceFacts.ts';
import type { Judged as _warpfarm_measure_v1_Judged, Judged__Output as _warpfarm_measure_v1_Judged__Output } from './warpfarm/measure/v1/Judged.ts';
import type { LeaseTimes as _warpfarm_measure_v1_LeaseTimes, LeaseTimes__Output as _warpfarm_measure_v1_LeaseTimes__Output } from './warpfarm/measure/v1/LeaseTimes.ts';
import type { MeasureOptions as _warpfarm_measure_v1_MeasureOptions, MeasureOptions__Output as _warpfarm_measure_v1_MeasureOptions__Output } from './warpfarm/measure/v1/MeasureOptions.ts';
import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from './warpfarm/measure/v1/MeasureResult.ts';
import type { Mismatch as _warpfarm_measure_v1_Mismatch, Mismatch__Output as _warpfarm_measure_v1_Mismatch__Output } from './warpfarm/measure/v1/Mismatch.ts';
import type { Observations as _warpfarm_measure_v1_Observations, Observations__Output as _warpfarm_measure_v1_Observations__Output } from './warpfarm/measure/v1/Observations.ts';
import type { PairedOptions as _warpfarm_measure_v1_PairedOptions, PairedOptions__Output as _warpfarm_measure_v1_PairedOptions__Output } from './warpfarm/measure/v1/PairedOptions.ts';
import type { ProgramRef as _warpfarm_measure_v1_ProgramRef, ProgramRef__Output as _warpfarm_measure_v1_ProgramRef__Output } from './warpfarm/measure/v1/ProgramRef.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
  warpfarm: {
    farm: {
      v1: {
        CloseSessionRequest: MessageTypeDefinition<_warpfarm_farm_v1_CloseSessionRequest, _warpfarm_farm_v1_CloseSessionRequest__Output>
        CloseSessionResponse: MessageTypeDefinition<_warpfarm_farm_v1_CloseSessionResponse, _warpfarm_farm_v1_CloseSessionResponse__Output>
        Device: MessageTypeDefinition<_warpfarm_farm_v1_Device, _warpfarm_farm_v1_Device__Output>
        FarmService: SubtypeConstructor<typeof grpc.Client, _warpfarm_farm_v1_FarmServiceClient> & { service: _warpfarm_farm_v1_FarmServiceDefinition }
        FarmSnapshot: MessageTypeDefinition<_warpfarm_farm_v1_FarmSnapshot, _warpfarm_farm_v1_FarmSnapshot__Output>
        Keep: EnumTypeDefinition
        ListNodesRequest: MessageTypeDefinition<_warpfarm_farm_v1_ListNodesRequest, _warpfarm_farm_v1_ListNodesRequest__Output>
        ListNodesResponse: MessageTypeDefinition<_warpfarm_farm_v1_ListNodesResponse, _warpfarm_farm_v1_ListNodesResponse__Output>
        MeasureRequest: MessageTypeDefinition<_warpfarm_farm_v1_MeasureRequest, _warpfarm_farm_v1_MeasureRequest__Output>
        MeasureResponse: MessageTypeDefinition<_warpfarm_farm_v1_MeasureResponse, _warpfarm_farm_v1_MeasureResponse__Output>
        Node: MessageTypeDefinition<_warpfarm_farm_v1_Node, _warpfarm_farm_v1_Node__Output>
        OpenSessionRequest: MessageTypeDefinition<_warpfarm_farm_v1_OpenSessionRequest, _warpfarm_farm_v1_OpenSessionRequest__Output>
        OpenSessionResponse: MessageTypeDefinition<_warpfarm_farm_v1_OpenSessionResponse, _warpfarm_farm_v1_OpenSessionResponse__Output>
        Provenance: MessageTypeDefinition<_warpfarm_farm_v1_Provenance, _warpfarm_farm_v1_Provenance__Output>
        Queue: MessageTypeDefinition<_warpfarm_farm_v1_Queue, _warpfarm_farm_v1_Queue__Output>
        Reason: MessageTypeDefinition<_warpfarm_farm_v1_Reason, _warpfarm_farm_v1_Reason__Output>
        Session: MessageTypeDefinition<_warpfarm_farm_v1_Session, _warpfarm_farm_v1_Session__Output>
        SettleTrialsRequest: MessageTypeDefinition<_warpfarm_farm_v1_SettleTrialsRequest, _warpfarm_farm_v1_SettleTrialsRequest__Output>
        SettleTrialsResponse: MessageTypeDefinition<_warpfarm_farm_v1_SettleTrialsResponse, _warpfarm_farm_v1_SettleTrialsResponse__Output>
        WatchFarmRequest: MessageTypeDefinition<_warpfarm_farm_v1_WatchFarmRequest, _warpfarm_farm_v1_WatchFarmRequest__Output>
        WatchFarmResponse: MessageTypeDefinition<_warpfarm_farm_v1_WatchFarmResponse, _warpfarm_farm_v1_WatchFarmResponse__Output>
      }
    }
    measure: {
      v1: {
        Check: EnumTypeDefinition
        DeviceFacts: MessageTypeDefinition<_warpfarm_measure_v1_DeviceFacts, _warpfarm_measure_v1_DeviceFacts__Output>
        ErrorNo: EnumTypeDefinition
        Inputs: EnumTypeDefinition
        Judged: MessageTypeDefinition<_warpfarm_measure_v1_Judged, _warpfarm_measure_v1_Judged__Output>
        L2: EnumTypeDefinition
        LeaseTimes: MessageTypeDefinition<_warpfarm_measure_v1_LeaseTimes, _warpfarm_measure_v1_LeaseTimes__Output>
        MeasureOptions: MessageTypeDefinition<_warpfarm_measure_v1_MeasureOptions, _warpfarm_measure_v1_MeasureOptions__Output>
        MeasureResult: MessageTypeDefinition<_warpfarm_measure_v1_MeasureResult, _warpfarm_measure_v1_MeasureResult__Output>
        Mismatch: MessageTypeDefinition<_warpfarm_measure_v1_Mismatch, _warpfarm_measure_v1_Mismatch__Output>
        Observations: MessageTypeDefinition<_warpfarm_measure_v1_Observations, _warpfarm_measure_v1_Observations__Output>
        PairedOptions: MessageTypeDefinition<_warpfarm_measure_v1_PairedOptions, _warpfarm_measure_v1_PairedOptions__Output>
        Power: EnumTypeDefinition
        ProgramRef: MessageTypeDefinition<_warpfarm_measure_v1_ProgramRef, _warpfarm_measure_v1_ProgramRef__Output>
        Timer: EnumTypeDefinition
      }
    }
  }
}

