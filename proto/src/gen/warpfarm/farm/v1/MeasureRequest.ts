// Original file: warpfarm/farm/v1/farm_service.proto

import type { ProgramRef as _warpfarm_measure_v1_ProgramRef, ProgramRef__Output as _warpfarm_measure_v1_ProgramRef__Output } from '../../../warpfarm/measure/v1/ProgramRef.ts';
import type { Long } from '@grpc/proto-loader';

export interface _warpfarm_farm_v1_MeasureRequest_Incumbent {
  'key'?: (string);
  'name'?: (string);
  'seconds'?: (number | string);
}

export interface _warpfarm_farm_v1_MeasureRequest_Incumbent__Output {
  'key': (string);
  'name': (string);
  'seconds': (number);
}

export interface _warpfarm_farm_v1_MeasureRequest_Input {
  'sequence'?: (number | string | Long);
  'program'?: (_warpfarm_measure_v1_ProgramRef | null);
  'reference'?: (_warpfarm_measure_v1_ProgramRef | null);
  'others'?: (_warpfarm_measure_v1_ProgramRef)[];
  'avoid_nodes'?: (string)[];
  'proposal'?: (_warpfarm_farm_v1_MeasureRequest_Proposal | null);
}

export interface _warpfarm_farm_v1_MeasureRequest_Input__Output {
  'sequence': (number);
  'program': (_warpfarm_measure_v1_ProgramRef__Output | null);
  'reference': (_warpfarm_measure_v1_ProgramRef__Output | null);
  'others': (_warpfarm_measure_v1_ProgramRef__Output)[];
  'avoid_nodes': (string)[];
  'proposal': (_warpfarm_farm_v1_MeasureRequest_Proposal__Output | null);
}

export interface _warpfarm_farm_v1_MeasureRequest_Proposal {
  'config'?: (string);
  'trial'?: (number | string | Long);
  'told'?: (number | string | Long);
}

export interface _warpfarm_farm_v1_MeasureRequest_Proposal__Output {
  'config': (string);
  'trial': (number);
  'told': (number);
}

export interface _warpfarm_farm_v1_MeasureRequest_Receipt {
  'received_through'?: (number | string | Long);
  'received'?: (number | string | Long)[];
}

export interface _warpfarm_farm_v1_MeasureRequest_Receipt__Output {
  'received_through': (number);
  'received': (number)[];
}

export interface _warpfarm_farm_v1_MeasureRequest_Start {
  'session_id'?: (string);
  'resume_after'?: (number | string | Long);
  'takes_control'?: (boolean);
  'takes_trials'?: (boolean);
}

export interface _warpfarm_farm_v1_MeasureRequest_Start__Output {
  'session_id': (string);
  'resume_after': (number);
  'takes_control': (boolean);
  'takes_trials': (boolean);
}

export interface MeasureRequest {
  'start'?: (_warpfarm_farm_v1_MeasureRequest_Start | null);
  'input'?: (_warpfarm_farm_v1_MeasureRequest_Input | null);
  'receipt'?: (_warpfarm_farm_v1_MeasureRequest_Receipt | null);
  'incumbent'?: (_warpfarm_farm_v1_MeasureRequest_Incumbent | null);
  'kind'?: "start"|"input"|"receipt"|"incumbent";
}

export interface MeasureRequest__Output {
  'start'?: (_warpfarm_farm_v1_MeasureRequest_Start__Output | null);
  'input'?: (_warpfarm_farm_v1_MeasureRequest_Input__Output | null);
  'receipt'?: (_warpfarm_farm_v1_MeasureRequest_Receipt__Output | null);
  'incumbent'?: (_warpfarm_farm_v1_MeasureRequest_Incumbent__Output | null);
  'kind'?: "start"|"input"|"receipt"|"incumbent";
}
