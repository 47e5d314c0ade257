/** How an exported binary is launched, as JSON, with the field names of a manifest. */

import type { ArtifactFormat, ArtifactManifest } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import { workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

export interface ExportCode {
  readonly format: ArtifactFormat;
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly toolchain: string;
  readonly resources?: ArtifactManifest["resources"];
}

/** Python would take NAME.so for a module of its own. */
export const codeFile = (name: string, format: ArtifactFormat): string =>
  format === "so" ? `lib${name}.so` : `${name}.${format}`;

/** Version 1 of the document; a reader refuses others. */
export function launchDocument(unit: ExportUnit, code?: ExportCode): object {
  const { name, task, args, target, index, config, program, kernel, measured, nearest } = unit;
  return {
    warpfarm_launch: 1,
    name,
    task,
    args,
    target,
    ...defined({ index }),
    config,
    program: program.digest,
    ...defined({ measured, nearest }),
    ...(code === undefined ? {} : { code: { file: code.file, format: code.format, toolchain: code.toolchain } }),
    ...defined({ resources: code?.resources }),
    ...launchesOf(kernel),
  };
}

function launchesOf(text: KernelText): object {
  const { kernels, buffers, maps, constants } = text;
  const { bytes, offsets } = workspacesOf(text);
  return {
    kernels,
    buffers: buffers.map((buffer) => {
      const offset = offsets.get(buffer.name);
      return offset === undefined ? buffer : { ...buffer, workspace_offset: offset };
    }),
    ...defined({ maps, constants }),
    workspace_bytes: bytes,
  };
}

export const jsonText = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`;
