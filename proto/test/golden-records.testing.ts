/** What clients tell for records. */
import * as wire from "../src/index.ts";
import { measureOptions, provenance, reference } from "./golden.testing.ts";
import { type Case, farm, message, request } from "./golden-messages.testing.ts";

export const recordCases: readonly [Case, Case] = [
  message(
    "a client opens a session and tells of its search, for records that nobody else sees",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "8d6b22",
      protocolVersion: 3,
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
    proposal: { config: '{"index":3,"code_hash":null,"entity":[["tile","sp",[-1,8]]]}', trial: 14, told: 9 },
  }),
];
