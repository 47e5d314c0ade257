import { describe } from "vitest";
import { marksALoop } from "./primitive.testing.ts";

describe("unroll", () => marksALoop("unroll", "unrolled"));
