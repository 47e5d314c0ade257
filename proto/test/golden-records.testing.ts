/** What clients tell for records, ask of them, and are told. */
import type { BestRecord } from "@warpfarm/records";
import * as wire from "../src/index.ts";
import { measureOptions, provenance, reference } from "./golden.testing.ts";
import { type Case, farm, message, request } from "./golden-messages.testing.ts";

const service = wire.loadServices().record;
const contender = {
  record: {
    id: "s-1/1",
    origin: { kind: "measured", by: "ada" },
    task: "matmul",
    args: [64, 64, 64],
    program: reference,
    reference,
    computation: reference,
    target: "cuda/sm_90a",
    result: { kind: "timed", costs: [1e-3], checked: true },
    timestampMs: 1_790_000_000_000,
    standing: "unverified",
  },
  seconds: 1e-3,
  measurements: 1,
} as const;
const best: BestRecord = {
  ...contender,
  device: { key: "cuda/sm_90", name: "NVIDIA H100" },
  computation: reference,
  noise: 0.01,
  tied: [contender],
};

export const questionCases: readonly Case[] = [
  message(
    "a client asks for records that are verified or shared, or its own",
    "warpfarm.record.v1.QueryRequest",
    service.Query.requestType,
    { task: "matmul", order: "fastest", limit: 7, believed: true },
    wire.queryToWire,
    wire.queryFromWire,
  ),
  message(
    "a tracker tells the best of a computation, and how many records of others wait",
    "warpfarm.record.v1.BestResponse",
    service.Best.responseType,
    { best: [best], waiting: 12 },
    ({ best, waiting }) => ({ best: best.map(wire.bestToWire), waiting }),
    ({ best, waiting }) => ({ best: best.map(wire.bestFromWire), waiting }),
  ),
];

export const recordCases: readonly [Case, Case] = [
  message(
    "a client opens a session and tells of its search, for records that nobody else sees",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "8d6b22",
      protocolVersion: 1,
      task: "matmul 4x6x8",
      selector: "cpu/x86-64-v3",
      options: measureOptions,
      priority: 0,
      maxInFlight: 64,
      labels: {},
      provenance,
      keep: "private",
    },
    wire.openSessionToWire,
    wire.openSessionFromWire,
  ),
  request("Measure: an input with the config that it is of", {
    kind: "input",
    sequence: 14,
    program: { kind: "digest", digest: reference },
    proposal: { config: '[["tile","sp",[-1,8]]]', trial: 14, told: 9 },
  }),
];
