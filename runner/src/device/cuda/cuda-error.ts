/**
 * An error of the CUDA driver, with its number: failures are distinguished by number, never by text. After a sticky error every
 * later call of the process returns the same error, so the child that owns the context must end. Source: comments of `enum
 * cudaError_enum` in cuda.h (CUDA 13.0); cuda-error.test.ts compares the table with the header where there is one.
 */

/**
 * "This leaves the process in an inconsistent state ... the process must be terminated and relaunched", and destroyed contexts.
 */
const sticky: ReadonlySet<number> = new Set([
  226, // CONTAINED
  700, // ILLEGAL_ADDRESS
  702, // LAUNCH_TIMEOUT
  709, // CONTEXT_IS_DESTROYED
  710, // ASSERT
  714, // HARDWARE_STACK_ERROR
  715, // ILLEGAL_INSTRUCTION
  716, // MISALIGNED_ADDRESS
  717, // INVALID_ADDRESS_SPACE
  718, // INVALID_PC
  719, // LAUNCH_FAILED
  721, // TENSOR_MEMORY_LEAK
  810, // MPS_CLIENT_TERMINATED
  911, // EXTERNAL_DEVICE
]);

/** Errors of the hardware or the driver, never of the candidate. The process ends too. */
const deviceFault: ReadonlySet<number> = new Set([
  4, // DEINITIALIZED
  46, // DEVICE_UNAVAILABLE
  101, // INVALID_DEVICE
  214, // ECC_UNCORRECTABLE
  220, // NVLINK_UNCORRECTABLE
  802, // SYSTEM_NOT_READY
  810, // MPS_CLIENT_TERMINATED
  911, // EXTERNAL_DEVICE
  999, // UNKNOWN
]);

export const isSticky = (code: number): boolean => sticky.has(code) || deviceFault.has(code);
export const isDeviceFault = (code: number): boolean => deviceFault.has(code);
export const CUDA_ERROR_OUT_OF_MEMORY = 2;

export class CudaError extends Error {
  override readonly name = "CudaError";
  readonly code: number;
  /** `CUDA_ERROR_ILLEGAL_ADDRESS`: the `rule` of a result. */
  readonly codeName: string;
  /** The driver function that returned it. With asynchronous work it is often not the one at fault. */
  readonly call: string;
  constructor(call: string, code: number, codeName: string, description: string) {
    super(`${call}: ${codeName} (${code})${description === "" ? "" : `: ${description}`}`);
    this.code = code;
    this.codeName = codeName;
    this.call = call;
  }
  get sticky(): boolean {
    return isSticky(this.code);
  }
}
