/**
 * The services as grpc-js knows them, loaded from the .proto files that ship with this package. The options must match those of
 * scripts/gen-proto.mjs, because the generated types describe what this loader produces.
 */
import { fileURLToPath } from "node:url";
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from "@grpc/proto-loader";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";

/** Raised when one side may rely on something new in the other. A tracker refuses another one and names both. */
export const protocolVersion = 1;

export interface Services {
  readonly farm: Wire.FarmService;
  readonly admin: Wire.AdminService;
  readonly worker: Wire.WorkerService;
  readonly artifact: Wire.ArtifactService;
  readonly suite: Wire.SuiteService;
  readonly record: Wire.RecordService;
  readonly definition: PackageDefinition;
  readonly measureOptions: MessageTypeDefinition<Sent<Wire.MeasureOptions>, Wire.MeasureOptions>;
  /** Stored results are these bytes. */
  readonly measureResult: MessageTypeDefinition<Sent<Wire.MeasureResult>, Wire.MeasureResult>;
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
    farm: get<Wire.FarmService>("warpfarm.farm.v1.FarmService"),
    admin: get<Wire.AdminService>("warpfarm.admin.v1.AdminService"),
    worker: get<Wire.WorkerService>("warpfarm.worker.v1.WorkerService"),
    artifact: get<Wire.ArtifactService>("warpfarm.artifact.v1.ArtifactService"),
    suite: get<Wire.SuiteService>("warpfarm.suite.v1.SuiteService"),
    record: get<Wire.RecordService>("warpfarm.record.v1.RecordService"),
    definition,
    measureOptions: get<MessageTypeDefinition<Sent<Wire.MeasureOptions>, Wire.MeasureOptions>>(
      "warpfarm.measure.v1.MeasureOptions",
    ),
    measureResult: get<MessageTypeDefinition<Sent<Wire.MeasureResult>, Wire.MeasureResult>>("warpfarm.measure.v1.MeasureResult"),
  };
  return loaded;
}
