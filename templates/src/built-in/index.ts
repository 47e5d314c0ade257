/** The templates that come with Warpfarm. A new one takes a file and one line here. */
import type { Template } from "../define-template.ts";
import { attentionDerived } from "./attention-derived.ts";
import { attentionTma } from "./attention-tma.ts";
import { autoTensorcore } from "./auto-tensorcore.ts";
import { conv2dDerived, depthwiseDerived } from "./conv2d-derived.ts";
import { conv2dHwcn } from "./conv2d-hwcn.ts";
import { conv2dHwcnCpu } from "./conv2d-hwcn-cpu.ts";
import { conv2dHwcnDirect } from "./conv2d-hwcn-direct.ts";
import { conv2dNchwCpu } from "./conv2d-nchw-cpu.ts";
import { conv2dNchwGemm } from "./conv2d-nchw-gemm.ts";
import { conv2dNhwcMma } from "./conv2d-nhwc-mma.ts";
import { conv2dNhwcTma } from "./conv2d-nhwc-tma.ts";
import { conv2dNhwcncWmma } from "./conv2d-nhwcnc-wmma.ts";
import { conv2dNoBatching } from "./conv2d-no-batching.ts";
import { conv2dSplitk } from "./conv2d-splitk.ts";
import { elementwiseDerived } from "./elementwise-derived.ts";
import { groupedTma } from "./grouped-tma.ts";
import { linearW4 } from "./linear-w4.ts";
import { matmul3xTf32 } from "./matmul-3xtf32.ts";
import { matmulDerived } from "./matmul-derived.ts";
import { matmulLatency } from "./matmul-latency.ts";
import { matmulMma } from "./matmul-mma.ts";
import { matmulSimt } from "./matmul-simt.ts";
import { matmulTma } from "./matmul-tma.ts";
import { subgraphDerived } from "./subgraph-derived.ts";

export const templates: readonly Template[] = [
  conv2dNoBatching,
  conv2dNchwCpu,
  conv2dHwcn,
  conv2dNhwcncWmma,
  conv2dNhwcMma,
  autoTensorcore,
  conv2dHwcnCpu,
  matmulMma,
  conv2dSplitk,
  matmulSimt,
  conv2dHwcnDirect,
  conv2dNchwGemm,
  matmulLatency,
  linearW4,
  matmulTma,
  groupedTma,
  conv2dNhwcTma,
  matmul3xTf32,
  attentionTma,
  attentionDerived,
  matmulDerived,
  conv2dDerived,
  depthwiseDerived,
  elementwiseDerived,
  subgraphDerived,
];
