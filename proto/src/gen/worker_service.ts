import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { DeviceFacts as _warpfarm_measure_v1_DeviceFacts, DeviceFacts__Output as _warpfarm_measure_v1_DeviceFacts__Output } from './warpfarm/measure/v1/DeviceFacts.ts';
import type { Judged as _warpfarm_measure_v1_Judged, Judged__Output as _warpfarm_measure_v1_Judged__Output } from './warpfarm/measure/v1/Judged.ts';
import type { LeaseTimes as _warpfarm_measure_v1_LeaseTimes, LeaseTimes__Output as _warpfarm_measure_v1_LeaseTimes__Output } from './warpfarm/measure/v1/LeaseTimes.ts';
import type { MeasureOptions as _warpfarm_measure_v1_MeasureOptions, MeasureOptions__Output as _warpfarm_measure_v1_MeasureOptions__Output } from './warpfarm/measure/v1/MeasureOptions.ts';
import type { MeasureResult as _warpfarm_measure_v1_MeasureResult, MeasureResult__Output as _warpfarm_measure_v1_MeasureResult__Output } from './warpfarm/measure/v1/MeasureResult.ts';
import type { Mismatch as _warpfarm_measure_v1_Mismatch, Mismatch__Output as _warpfarm_measure_v1_Mismatch__Output } from './warpfarm/measure/v1/Mismatch.ts';
import type { Observations as _warpfarm_measure_v1_Observations, Observations__Output as _warpfarm_measure_v1_Observations__Output } from './warpfarm/measure/v1/Observations.ts';
import type { PairedOptions as _warpfarm_measure_v1_PairedOptions, PairedOptions__Output as _warpfarm_measure_v1_PairedOptions__Output } from './warpfarm/measure/v1/PairedOptions.ts';
import type { ProgramRef as _warpfarm_measure_v1_ProgramRef, ProgramRef__Output as _warpfarm_measure_v1_ProgramRef__Output } from './warpfarm/measure/v1/ProgramRef.ts';
import type { Assignment as _warpfarm_worker_v1_Assignment, Assignment__Output as _warpfarm_worker_v1_Assignment__Output } from './warpfarm/worker/v1/Assignment.ts';
import type { BuildJob as _warpfarm_worker_v1_BuildJob, BuildJob__Output as _warpfarm_worker_v1_BuildJob__Output } from './warpfarm/worker/v1/BuildJob.ts';
import type { BuildOutcome as _warpfarm_worker_v1_BuildOutcome, BuildOutcome__Output as _warpfarm_worker_v1_BuildOutcome__Output } from './warpfarm/worker/v1/BuildOutcome.ts';
import type { BuilderFacts as _warpfarm_worker_v1_BuilderFacts, BuilderFacts__Output as _warpfarm_worker_v1_BuilderFacts__Output } from './warpfarm/worker/v1/BuilderFacts.ts';
import type { FreeSlots as _warpfarm_worker_v1_FreeSlots, FreeSlots__Output as _warpfarm_worker_v1_FreeSlots__Output } from './warpfarm/worker/v1/FreeSlots.ts';
import type { Health as _warpfarm_worker_v1_Health, Health__Output as _warpfarm_worker_v1_Health__Output } from './warpfarm/worker/v1/Health.ts';
import type { JudgedJob as _warpfarm_worker_v1_JudgedJob, JudgedJob__Output as _warpfarm_worker_v1_JudgedJob__Output } from './warpfarm/worker/v1/JudgedJob.ts';
import type { Outcome as _warpfarm_worker_v1_Outcome, Outcome__Output as _warpfarm_worker_v1_Outcome__Output } from './warpfarm/worker/v1/Outcome.ts';
import type { OwnCheck as _warpfarm_worker_v1_OwnCheck, OwnCheck__Output as _warpfarm_worker_v1_OwnCheck__Output } from './warpfarm/worker/v1/OwnCheck.ts';
import type { PairedJob as _warpfarm_worker_v1_PairedJob, PairedJob__Output as _warpfarm_worker_v1_PairedJob__Output } from './warpfarm/worker/v1/PairedJob.ts';
import type { RegisterRequest as _warpfarm_worker_v1_RegisterRequest, RegisterRequest__Output as _warpfarm_worker_v1_RegisterRequest__Output } from './warpfarm/worker/v1/RegisterRequest.ts';
import type { RegisterResponse as _warpfarm_worker_v1_RegisterResponse, RegisterResponse__Output as _warpfarm_worker_v1_RegisterResponse__Output } from './warpfarm/worker/v1/RegisterResponse.ts';
import type { ReplayJob as _warpfarm_worker_v1_ReplayJob, ReplayJob__Output as _warpfarm_worker_v1_ReplayJob__Output } from './warpfarm/worker/v1/ReplayJob.ts';
import type { ReplayOutcome as _warpfarm_worker_v1_ReplayOutcome, ReplayOutcome__Output as _warpfarm_worker_v1_ReplayOutcome__Output } from './warpfarm/worker/v1/ReplayOutcome.ts';
import type { Replayed as _warpfarm_worker_v1_Replayed, Replayed__Output as _warpfarm_worker_v1_Replayed__Output } from './warpfarm/worker/v1/Replayed.ts';
import type { RunJob as _warpfarm_worker_v1_RunJob, RunJob__Output as _warpfarm_worker_v1_RunJob__Output } from './warpfarm/worker/v1/RunJob.ts';
import type { RunnerDevice as _warpfarm_worker_v1_RunnerDevice, RunnerDevice__Output as _warpfarm_worker_v1_RunnerDevice__Output } from './warpfarm/worker/v1/RunnerDevice.ts';
import type { RunnerFacts as _warpfarm_worker_v1_RunnerFacts, RunnerFacts__Output as _warpfarm_worker_v1_RunnerFacts__Output } from './warpfarm/worker/v1/RunnerFacts.ts';
import type { SynchronizeRequest as _warpfarm_worker_v1_SynchronizeRequest, SynchronizeRequest__Output as _warpfarm_worker_v1_SynchronizeRequest__Output } from './warpfarm/worker/v1/SynchronizeRequest.ts';
import type { SynchronizeResponse as _warpfarm_worker_v1_SynchronizeResponse, SynchronizeResponse__Output as _warpfarm_worker_v1_SynchronizeResponse__Output } from './warpfarm/worker/v1/SynchronizeResponse.ts';
import type { WorkerFault as _warpfarm_worker_v1_WorkerFault, WorkerFault__Output as _warpfarm_worker_v1_WorkerFault__Output } from './warpfarm/worker/v1/WorkerFault.ts';
import type { WorkerServiceClient as _warpfarm_worker_v1_WorkerServiceClient, WorkerServiceDefinition as _warpfarm_worker_v1_WorkerServiceDefinition } from './warpfarm/worker/v1/WorkerService.ts';

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
    worker: {
      v1: {
        Assignment: MessageTypeDefinition<_warpfarm_worker_v1_Assignment, _warpfarm_worker_v1_Assignment__Output>
        BuildJob: MessageTypeDefinition<_warpfarm_worker_v1_BuildJob, _warpfarm_worker_v1_BuildJob__Output>
        BuildOutcome: MessageTypeDefinition<_warpfarm_worker_v1_BuildOutcome, _warpfarm_worker_v1_BuildOutcome__Output>
        BuilderFacts: MessageTypeDefinition<_warpfarm_worker_v1_BuilderFacts, _warpfarm_worker_v1_BuilderFacts__Output>
        FreeSlots: MessageTypeDefinition<_warpfarm_worker_v1_FreeSlots, _warpfarm_worker_v1_FreeSlots__Output>
        Health: MessageTypeDefinition<_warpfarm_worker_v1_Health, _warpfarm_worker_v1_Health__Output>
        JudgedJob: MessageTypeDefinition<_warpfarm_worker_v1_JudgedJob, _warpfarm_worker_v1_JudgedJob__Output>
        Outcome: MessageTypeDefinition<_warpfarm_worker_v1_Outcome, _warpfarm_worker_v1_Outcome__Output>
        OwnCheck: MessageTypeDefinition<_warpfarm_worker_v1_OwnCheck, _warpfarm_worker_v1_OwnCheck__Output>
        PairedJob: MessageTypeDefinition<_warpfarm_worker_v1_PairedJob, _warpfarm_worker_v1_PairedJob__Output>
        RegisterRequest: MessageTypeDefinition<_warpfarm_worker_v1_RegisterRequest, _warpfarm_worker_v1_RegisterRequest__Output>
        RegisterResponse: MessageTypeDefinition<_warpfarm_worker_v1_RegisterResponse, _warpfarm_worker_v1_RegisterResponse__Output>
        ReplayJob: MessageTypeDefinition<_warpfarm_worker_v1_ReplayJob, _warpfarm_worker_v1_ReplayJob__Output>
        ReplayOutcome: MessageTypeDefinition<_warpfarm_worker_v1_ReplayOutcome, _warpfarm_worker_v1_ReplayOutcome__Output>
        Replayed: MessageTypeDefinition<_warpfarm_worker_v1_Replayed, _warpfarm_worker_v1_Replayed__Output>
        RunJob: MessageTypeDefinition<_warpfarm_worker_v1_RunJob, _warpfarm_worker_v1_RunJob__Output>
        RunnerDevice: MessageTypeDefinition<_warpfarm_worker_v1_RunnerDevice, _warpfarm_worker_v1_RunnerDevice__Output>
        RunnerFacts: MessageTypeDefinition<_warpfarm_worker_v1_RunnerFacts, _warpfarm_worker_v1_RunnerFacts__Output>
        SynchronizeRequest: MessageTypeDefinition<_warpfarm_worker_v1_SynchronizeRequest, _warpfarm_worker_v1_SynchronizeRequest__Output>
        SynchronizeResponse: MessageTypeDefinition<_warpfarm_worker_v1_SynchronizeResponse, _warpfarm_worker_v1_SynchronizeResponse__Output>
        WorkerFault: MessageTypeDefinition<_warpfarm_worker_v1_WorkerFault, _warpfarm_worker_v1_WorkerFault__Output>
        WorkerService: SubtypeConstructor<typeof grpc.Client, _warpfarm_worker_v1_WorkerServiceClient> & { service: _warpfarm_worker_v1_WorkerServiceDefinition }
      }
    }
  }
}

