/**
 * The services as grpc-js knows them, loaded from the .proto files that ship with this package. The options must match those of
 * scripts/gen-proto.mjs, because the generated types describe what this loader produces.
 */
import { fileURLToPath } from "node:url";
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from "@grpc/proto-loader";
import type { AdminServiceDefinition } from "../gen/warpfarm/admin/v1/AdminService.ts";
import type { ArtifactServiceDefinition } from "../gen/warpfarm/artifact/v1/ArtifactService.ts";
import type { FarmServiceDefinition } from "../gen/warpfarm/farm/v1/FarmService.ts";
import type { MeasureOptions, MeasureOptions__Output } from "../gen/warpfarm/measure/v1/MeasureOptions.ts";
import type { MeasureResult, MeasureResult__Output } from "../gen/warpfarm/measure/v1/MeasureResult.ts";
import type { RecordServiceDefinition } from "../gen/warpfarm/record/v1/RecordService.ts";
import type { SuiteServiceDefinition } from "../gen/warpfarm/suite/v1/SuiteService.ts";
import type { WorkerServiceDefinition } from "../gen/warpfarm/worker/v1/WorkerService.ts";

/** Raised when one side may rely on something new in the other. A tracker refuses another one and names both. */
export const protocolVersion = 1;

export interface Services {
  readonly farm: FarmServiceDefinition;
  readonly admin: AdminServiceDefinition;
  readonly worker: WorkerServiceDefinition;
  readonly artifact: ArtifactServiceDefinition;
  readonly suite: SuiteServiceDefinition;
  readonly record: RecordServiceDefinition;
  readonly definition: PackageDefinition;
  readonly measureOptions: MessageTypeDefinition<MeasureOptions, MeasureOptions__Output>;
  /** Stored results are these bytes. */
  readonly measureResult: MessageTypeDefinition<MeasureResult, MeasureResult__Output>;
}

const files = [
  "admin/v1/admin_service.proto",
  "farm/v1/farm_service.proto",
  "worker/v1/worker_service.proto",
  "artifact/v1/artifact_service.proto",
  "suite/v1/suite_service.proto",
  "record/v1/record_service.proto",
];

let loaded: Services | undefined;

/** Parses the .proto files once per process (about 30 ms). */
export function loadServices(): Services {
  if (loaded) return loaded;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const definition = loadSync(
    files.map((file) => `warpfarm/${file}`),
    { includeDirs: [root], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true },
  );
  const get = <T>(name: string): T => {
    const found = definition[name];
    if (found === undefined) throw new Error(`${name} is not in the .proto files under ${root}`);
    return found as T;
  };
  loaded = {
    farm: get<FarmServiceDefinition>("warpfarm.farm.v1.FarmService"),
    admin: get<AdminServiceDefinition>("warpfarm.admin.v1.AdminService"),
    worker: get<WorkerServiceDefinition>("warpfarm.worker.v1.WorkerService"),
    artifact: get<ArtifactServiceDefinition>("warpfarm.artifact.v1.ArtifactService"),
    suite: get<SuiteServiceDefinition>("warpfarm.suite.v1.SuiteService"),
    record: get<RecordServiceDefinition>("warpfarm.record.v1.RecordService"),
    definition,
    measureOptions: get<MessageTypeDefinition<MeasureOptions, MeasureOptions__Output>>("warpfarm.measure.v1.MeasureOptions"),
    measureResult: get<MessageTypeDefinition<MeasureResult, MeasureResult__Output>>("warpfarm.measure.v1.MeasureResult"),
  };
  return loaded;
}
