/** Types of scalars in a spec. Loads no schema, so programs of a loaded spec are made without one. */
import { scalarTypes } from "@warpfarm/common";

/** Of a value. Kernels get the first two as int32 and uint8 of the same bits. */
export const specScalars = ["uint32", "bool", ...scalarTypes] as const;

/** Of a field of a structure. */
export const structScalars = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"] as const;
