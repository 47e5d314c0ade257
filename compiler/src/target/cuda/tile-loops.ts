/**
 * Whether the compiler may unroll loops around tiles. By default it unrolls them until a kernel that would fit a multiprocessor
 * twice fits it once: the published convolution NHWCnc on an H100 then takes 172 registers and 0.80 ms, and 106 registers and
 * 0.68 ms when rolled. Where the fragments alone leave no room for a second block, unrolling costs nothing and helps (4x4 tiles
 * per warp: 0.43 ms, rolled 0.46 ms).
 */

import { dtypeBytes } from "@warpfarm/common";
import { fragmentsOf, registerBits } from "../../intrinsic/fragment-place.ts";
import { bufferSize } from "../../ir/buffer.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { walkStmt } from "../../ir/visit.ts";

/** Registers of one multiprocessor, from sm_75 on. */
const registersPerProcessor = 65_536;
/** The value for sm_90. Where it is less, it only limits the blocks too late. */
const sharedBytesPerProcessor = 233_472;
/** Bytes that the system keeps for each block. */
const sharedBytesPerBlock = 1_024;
/** Registers that an unrolled body took beyond its fragments. */
const unrolledExtra = 60;

/** True if unrolling would leave a multiprocessor one block where it can have two. */
export function rollsTileLoops({ func, block }: Kernel): boolean {
  const fragments = fragmentsOf(func.body);
  let [registers, sharedBytes] = [0, 0];
  walkStmt(func.body, (s) => {
    if (s.kind !== "Allocate") return;
    const { buffer } = s;
    const storage = fragments.get(buffer);
    if (storage)
      registers +=
        (bufferSize(buffer) / bufferSize(storage.tile)) * storage.fragment.count * (registerBits[storage.fragment.register] / 32);
    if (buffer.scope === "shared") sharedBytes += dtypeBytes(buffer.dtype, bufferSize(buffer));
  });
  const threads = block[0] * block[1] * block[2];
  const fitting = (perThread: number): number => Math.floor(registersPerProcessor / (threads * Math.ceil(perThread / 8) * 8));
  const byShared = Math.floor(sharedBytesPerProcessor / (sharedBytes + sharedBytesPerBlock));
  return fitting(registers + unrolledExtra) < 2 && Math.min(fitting(registers), byShared) >= 2;
}
