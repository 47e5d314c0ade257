/**
 * The kinds of devices. A new one takes a file, a line here, and a line in the tables of the compiler (compiler/src/target), the
 * builder (builder/src/toolchain) and the runner (runner/src/device).
 */
import { Registry } from "../registry.ts";
import type { Backend } from "./backend.ts";
import { cpu } from "./cpu.ts";
import { cuda } from "./cuda.ts";

export type { Backend, Target, TimerKind } from "./backend.ts";

export const backends = new Registry<Backend>("backend", { cpu, cuda });
