/** Resources of a record's program, from its builder's manifest, and how many of its blocks one multiprocessor holds. */
import type { ArtifactManifest } from "@warpfarm/common";
import { type Occupancy, occupancy } from "@warpfarm/common/occupancy";

type Resources = Pick<ArtifactManifest, "kernels" | "resources">;

/** Names and texts. Of several kernels the manifest has the most registers of any, so no occupancy is shown. */
export function resourcePairs({ kernels, resources }: Resources, key: string): readonly (readonly [string, string])[] {
  const { registers, spill_bytes: spilled, static_shared_bytes: staticShared } = resources;
  const [only] = kernels.length === 1 ? kernels : [];
  const threads = only === undefined ? 0 : only.block.reduce((a, b) => a * b, 1);
  const sharedBytes = staticShared + (only?.dynamic_shared_bytes ?? 0);
  const held = only && occupancy(key, { threads, registers, sharedBytes });
  return [
    ...(registers === 0 ? [] : [["registers a thread", String(registers)] as const]),
    ["bytes spilled a thread", String(spilled)],
    ["static shared bytes", String(staticShared)],
    ...(only === undefined ? [] : [["threads a block", String(threads)] as const]),
    ...(held === undefined ? [] : [["occupancy, theoretical", occupancyWords(held)] as const]),
  ];
}

const occupancyWords = ({ blocks, warps, mostWarps, limits }: Occupancy): string =>
  `${Math.round((100 * warps) / mostWarps)} %: ${warps} of ${mostWarps} warps in ${blocks} block${blocks === 1 ? "" : "s"} a multiprocessor, limited by ${limits.join(" and ")}`;
