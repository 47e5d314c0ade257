/**
 * A failed build says which toolchain refused the program (verdicts.ts). Earlier ones do not say it, and are made again when they
 * are asked for.
 */
export const toolchains = {
  number: 21,
  name: "toolchains",
  sql: "alter table builds add column toolchain text",
} as const;
