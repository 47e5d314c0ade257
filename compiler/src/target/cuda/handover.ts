/** Programmatic dependent launch, from sm_90 on. Source: PTX ISA, "griddepcontrol". */
import type { Handover } from "../../ir/stmt.ts";
import type { Helper } from "../c-family/prelude.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { qualifier } from "./pieces.ts";

export const handoverCapability = 90;

const instructions: Readonly<Record<string, string>> = {
  wait_for_kernel: "griddepcontrol.wait;",
  release_kernel: "griddepcontrol.launch_dependents;",
};

export function handoverHelper(name: string): Helper | undefined {
  const instruction = instructions[name];
  return instruction === undefined
    ? undefined
    : { text: `${qualifier} void ${name}() { asm volatile("${instruction}" : : : "memory"); }` };
}

export const printHandover = (printer: CPrinter, { what }: Handover): void =>
  printer.line(`${printer.prelude.use(what === "wait" ? "wait_for_kernel" : "release_kernel")}();`);
