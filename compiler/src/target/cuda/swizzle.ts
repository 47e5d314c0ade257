import type { Swizzle } from "../../ir/buffer.ts";
import { qualifier } from "./pieces.ts";

export const swizzleHelper = ({ unit, line, ways }: Swizzle): string => `swizzle_${unit}_${line}_${ways}`;

export function swizzleText(name: string): string | undefined {
  const parts = /^swizzle_(\d+)_(\d+)_(\d+)$/.exec(name)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [unit = 1, line = 1, ways = 1] = parts;
  const units = `(i >> ${Math.log2(line)} & ${ways - 1}) << ${Math.log2(unit)}`;
  return `${qualifier} int ${name}(int i) { return i ^ (${units}); }`;
}
