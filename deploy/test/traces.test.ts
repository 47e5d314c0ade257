/**
 * Traces as a collector gets them: a receiver of OTLP in this process, and a tune on a farm of processes that are told of it by
 * the environment alone. Ids, times and parents are read from what they sent.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import { Place, start } from "./warpfarm-process.ts";

interface Sent {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector, by https://opentelemetry.io/docs/specs/otlp/#otlphttp with JSON. */
async function receiver() {
  const spans: Sent[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    const bytes: Buffer[] = [];
    request.on("data", (some: Buffer) => bytes.push(some));
    request.on("end", () => {
      const { method, url, headers } = request;
      if (method !== "POST" || url !== "/v1/traces" || headers["content-type"] !== "application/json")
        refused.push(`${method} ${url} ${headers["content-type"]}`);
      const { resourceSpans } = JSON.parse(Buffer.concat(bytes).toString());
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = resource.attributes.find(({ key }: { key: string }) => key === "service.name").value.stringValue;
        for (const { spans: some } of scopeSpans) spans.push(...some.map((span: Sent) => ({ ...span, service })));
      }
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  onTestFinished(() => void server.close());
  return { spans, refused, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const tuned = [
  "tune",
  "matmul_derived",
  "--args",
  '{"M":32,"N":32,"K":32}',
  "--measure",
  "repeat=1,min_repeat=1ms",
  "--tuner",
  "grid",
];

test("a tune is one trace from the client over the tracker to builder and runner; spans lie within their parents", {
  timeout: 300_000,
}, async (ctx) => {
  needs(ctx, "cc");
  const { spans, refused, url } = await receiver();
  const root = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  const farm = new ProcessFarm({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "100" },
    TRACEPARENT: `00-${root.traceId}-${root.spanId}-01`,
  });
  onTestFinished(() => farm[Symbol.asyncDispose]());
  await farm.tracker();
  await Promise.all([farm.builder(), farm.runner("--threads", "1")]);
  const search = farm.begin(...tuned, "--trials", "3", "--finalists", "0", "--tracker", farm.address);
  const { code, stderr } = await search.finished;
  expect(code, stderr).toBe(0);
  // A process that ends sends what it has.
  for (const part of farm.parts) part.kill("SIGTERM");
  await Promise.all(farm.parts.map(({ finished }) => finished));
  const of = (name: string) => spans.filter((span) => span.name === name);
  const counts = (service: string) =>
    Object.fromEntries(
      [...new Set(spans.filter((s) => s.service === service).map(({ name }) => name))]
        .sort()
        .map((name) => [name, of(name).length]),
    );
  expect(refused).toEqual([]);
  const trials = of("trial").length;
  expect(trials).toBeGreaterThanOrEqual(3);
  expect(counts("warpfarm-client")).toEqual({ search: 1, trial: trials, "warpfarm tune": 1 });
  expect(counts("warpfarm-runner")).toEqual({ fetch: trials, measure: trials, run: trials });
  const builds = of("build").length;
  expect(builds).toBeGreaterThanOrEqual(trials);
  expect(counts("warpfarm-builder")).toEqual({ build: builds, compile: builds, upload: builds });
  expect(counts("warpfarm-tracker")).toEqual({ lease: trials + builds });

  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const kinds = { search: ["warpfarm tune"], trial: ["search"], lease: ["trial", "search"], run: ["lease"], build: ["lease"] };
  const parts = { fetch: ["run"], measure: ["run"], compile: ["build"], upload: ["build"] };
  for (const span of spans) {
    if (span.name === "warpfarm tune") {
      expect(span.parentSpanId).toBe(root.spanId);
      continue;
    }
    const parent = byId.get(span.parentSpanId ?? "");
    expect(({ ...kinds, ...parts } as Record<string, readonly string[]>)[span.name]).toContain(parent?.name);
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent?.startTimeUnixNano ?? 0));
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent?.endTimeUnixNano ?? 0));
  }
  // A run's lease is its trial's, and no two trials share one.
  const leased = of("run").map(({ parentSpanId = "" }) => byId.get(byId.get(parentSpanId)?.parentSpanId ?? ""));
  expect(new Set(leased).size).toBe(trials);
  expect(leased.every((trial) => trial?.name === "trial")).toBe(true);
});

test.each([
  [
    "a protocol that is not spoken",
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc".*http\/json.*4318/,
  ],
  [
    "an endpoint that is no URL",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    /OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"; allowed: a URL/,
  ],
  ["it is disabled", { OTEL_SDK_DISABLED: "true" }, /^$/],
  ["another exporter", { OTEL_TRACES_EXPORTER: "none" }, /^$/],
])("nothing is sent: %s", async (_what, env: Record<string, string>, told) => {
  using place = new Place({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", ...env });
  const { code, stderr } = await start(place, ["tasks"]).finished;
  expect([code, stderr.trim()]).toEqual([0, expect.stringMatching(told)]);
});
