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
  }
}

