/** The kinds of devices. */
import { Registry } from "../registry.ts";
import type { Backend } from "./backend.ts";
import { cpu } from "./cpu.ts";
import { cuda } from "./cuda.ts";

export type { Backend, Target, TimerKind } from "./backend.ts";

export const backends = new Registry<Backend>("backend", { cpu, cuda });
