/**
 * Structures that the driver reads at a launch, packed by hand. Offsets are cuda.h's, which driver.test.ts checks with a C
 * compiler.
 */
import koffi from "koffi";
import type { KernelParam, LaunchNumber, LaunchShape, Stream } from "./driver-types.ts";

const CLUSTER_DIMENSION = 4;
/** sizeof(CUlaunchAttribute): its id at 0, its value at 8. */
const attributeBytes = 72;

/** sizeof(CUlaunchConfig) 56: grid, block, shared bytes as u32 at 0..24, stream at 32, attributes at 40, their number at 48. */
export function packLaunchConfig(
  shape: LaunchShape,
  stream: Stream,
): { readonly config: Uint8Array; readonly pinned: readonly object[] } {
  const config = new Uint8Array(new ArrayBuffer(56));
  const view = new DataView(config.buffer);
  [...shape.grid, ...shape.block, shape.dynamicSharedBytes].forEach((value, i) => {
    view.setUint32(4 * i, value, true);
  });
  view.setBigUint64(32, stream, true);
  const attributes = packAttributes(shape);
  if (attributes.length === 0) return { config, pinned: [config] };
  view.setBigUint64(40, koffi.address(attributes), true);
  view.setUint32(48, attributes.length / attributeBytes, true);
  return { config, pinned: [config, attributes] };
}

function packAttributes({ cluster, attributes = [] }: LaunchShape): Uint8Array {
  const isClustered = cluster[0] * cluster[1] * cluster[2] > 1;
  const all: readonly (readonly number[])[] = [
    ...(isClustered ? [[CLUSTER_DIMENSION, ...cluster]] : []),
    ...attributes.map(({ id, value }: LaunchNumber) => [id, value]),
  ];
  const bytes = new Uint8Array(new ArrayBuffer(attributeBytes * all.length));
  const view = new DataView(bytes.buffer);
  for (const [i, [id = 0, ...values]] of all.entries()) {
    view.setUint32(attributeBytes * i, id, true);
    for (const [j, value] of values.entries()) view.setUint32(attributeBytes * i + 8 + 4 * j, value, true);
  }
  return bytes;
}

const line = 64;
const roundUp = (bytes: number, unit: number): number => Math.ceil(bytes / unit) * unit;
const sizeOf = (param: KernelParam): number => (param.kind === "bytes" ? param.value.length : 8);

/** Memory off the heap, at an address that is a multiple of 64, as CUtensorMap requires. */
export function alignedBytes(length: number): Uint8Array<ArrayBuffer> {
  const memory = new ArrayBuffer(length + line);
  const over = Number(koffi.address(new Uint8Array(memory)) % BigInt(line));
  return new Uint8Array(memory, (line - over) % line, length);
}

/** The values, each at its alignment, and the array of their addresses that the driver reads. */
export function packParams(params: readonly KernelParam[]): { readonly pointers: BigUint64Array; readonly values: object } {
  const places: number[] = [];
  let end = 0;
  for (const param of params) {
    const at = roundUp(end, Math.min(line, Math.max(8, sizeOf(param))));
    places.push(at);
    end = at + sizeOf(param);
  }
  const values = alignedBytes(Math.max(8, end));
  const view = new DataView(values.buffer, values.byteOffset);
  const base = koffi.address(values);
  const pointers = new BigUint64Array(new ArrayBuffer(Math.max(8, 8 * params.length)));
  for (const [i, param] of params.entries()) {
    const at = places[i] as number;
    if (param.kind === "u64") view.setBigUint64(at, param.value, true);
    else if (param.kind === "u32") view.setUint32(at, param.value, true);
    else if (param.kind === "f64") view.setFloat64(at, param.value, true);
    else values.set(param.value, at);
    pointers[i] = base + BigInt(at);
  }
  return { pointers, values };
}
