/** All computations by name. */
import type { Computation } from "./computation.testing.ts";
import { convolutions } from "./convolutions.testing.ts";
import { products } from "./products.testing.ts";
import { rows } from "./rows.testing.ts";

export const computations: Readonly<Record<string, Computation>> = { ...convolutions, ...products, ...rows };
