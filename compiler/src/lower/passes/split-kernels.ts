/**
 * The end of lowering: root nests become kernels, launched in order, each with the arguments it uses (in the order of the
 * function's) and the extents of its head loops. On the CPU the function is one kernel as it is.
 */
import { defined, invariant, type ManifestNote } from "@warpfarm/common";
import { withProducer } from "../../ir/agent.ts";
import type { Buffer } from "../../ir/buffer.ts";
import { touches } from "../../ir/parts.ts";
import type { Kernel, PrimFunc } from "../../ir/prim-func.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { holds, walkExpr, walkStmt } from "../../ir/visit.ts";
import { isLaunchTag, type LaunchTag } from "../loops.ts";
import { attrsOf, rootNests } from "./lower-threads.ts";

/** Never a keyword or a name of the C library. With a number appended it stays within the manifest's 64 letters. */
const kernelName = (name: string): string => `${name.slice(0, 52)}_kernel`;

export function buffersUsed(body: Stmt): ReadonlySet<Buffer> {
  const used = new Set<Buffer>();
  walkStmt(
    body,
    (s) => {
      for (const { buffer } of touches(s)) used.add(buffer);
    },
    (e) =>
      walkExpr(e, (part) => {
        if (part.kind === "Load") used.add(part.buffer);
      }),
  );
  return used;
}

export function splitKernels(func: PrimFunc<"lowered">): readonly Kernel[] {
  const nests = rootNests(func.body);
  return nests.map((nest, i) => {
    const body = nest.kind === "KernelNest" ? nest.body : nest;
    const { minBlocks, dependent } = attrsOf(nest);
    const used = buffersUsed(body);
    const extents = new Map<LaunchTag, number>();
    for (let s: Stmt = body; s.kind === "For" && isLaunchTag(s.thread); s = s.body) {
      invariant(!extents.has(s.thread), `${s.thread} launched twice`);
      extents.set(s.thread, s.extent);
    }
    const of = (tag: LaunchTag) => extents.get(tag) ?? 1;
    const cluster = of("clusterIdx.x") * of("clusterIdx.y");
    const block = [of("threadIdx.x"), of("threadIdx.y"), of("threadIdx.z")] as const;
    return {
      func: {
        ...func,
        dialect: "device",
        name: nests.length === 1 ? kernelName(func.name) : `${kernelName(func.name)}${i}`,
        params: func.params.filter((buffer) => used.has(buffer)),
        body,
      },
      grid: [of("blockIdx.x") * cluster, of("blockIdx.y"), of("blockIdx.z")],
      block: holds(body, "Roles") ? withProducer(block) : block,
      ...(cluster > 1 ? { cluster } : {}),
      ...defined({ minBlocks, dependent: i === 0 ? undefined : dependent }),
    };
  });
}

function ignoredNotes({ body }: PrimFunc): readonly ManifestNote[] {
  const ignored = new Map<string, ManifestNote>();
  const ignore = (primitive: string, of: string): void => {
    ignored.set(primitive, {
      rule: `${primitive}.ignored`,
      message: `${primitive} says something of a GPU's ${of}; a CPU has none`,
    });
  };
  walkStmt(body, (s) => {
    if (s.kind === "KernelNest")
      for (const key of Object.keys(s.attrs).toReversed()) ignore(key === "roles" ? "specialize" : key, "kernel");
    else if (s.kind === "Stage" && s.engine !== undefined) ignore("copyBy", "copy engine");
  });
  return [...ignored.values()];
}

export function wholeKernel(func: PrimFunc<"lowered">): readonly Kernel[] {
  const used = buffersUsed(func.body);
  const params = func.params.filter((buffer) => used.has(buffer));
  const ignored = ignoredNotes(func);
  const notes = ignored.length > 0 ? { notes: [...(func.notes ?? []), ...ignored] } : {};
  return [
    {
      func: { ...func, ...notes, dialect: "device", name: kernelName(func.name), params, body: func.body },
      grid: [1, 1, 1],
      block: [1, 1, 1],
    },
  ];
}
