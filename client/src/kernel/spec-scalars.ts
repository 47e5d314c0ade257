/** Types of scalars in a spec. Loads no schema, so programs of a loaded spec are made without one. */
import { scalarTypes } from "@warpfarm/common";

/** Types of a value. Kernels get the first two as int32 and uint8 of the same bits. */
export const specScalars = ["uint32", "bool", ...scalarTypes] as const;

/** Types of a structure's field. */
export const structScalars = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"] as const;
