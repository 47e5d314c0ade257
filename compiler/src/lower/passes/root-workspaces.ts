/**
 * Arrays allocated outside every loop become arguments. The caller provides their memory (role `workspace`), so nests that
 * share them can be separate launches. Arrays inside a loop and arrays of a single thread stay.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { definePass } from "../pass.ts";

export const rootWorkspaces = definePass<"scheduled", "scheduled">("root-workspaces", (func) => {
  const found: Buffer[] = [];
  const strip = (s: Stmt): Stmt => {
    if (isRemark(s)) return { ...s, body: strip(s.body) };
    switch (s.kind) {
      case "Allocate":
        if (s.buffer.scope === "local") return s;
        found.push(s.buffer);
        return strip(s.body);
      case "Seq":
        return b.seq(s.stmts.map(strip));
      default:
        return s;
    }
  };
  const body = strip(func.body);
  return found.length === 0 ? func : { ...func, params: [...func.params, ...found], body };
});
