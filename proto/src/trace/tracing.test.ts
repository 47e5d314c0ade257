/** When traces are sent, and which parents are followed. */
import { expect, it } from "vitest";
import { openTracing } from "./open-tracing.ts";
import { readTraceparent, siblingOf } from "./tracing.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };

it.each<[what: string, env: Record<string, string>, isOn: boolean, warned: RegExp]>([
  ["no endpoint is set", {}, false, /^$/],
  ["an endpoint is set", endpoint, true, /^$/],
  ["one for traces alone is set", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://a.example/v1/traces" }, true, /^$/],
  ["OpenTelemetry is off", { ...endpoint, OTEL_SDK_DISABLED: "True" }, false, /^$/],
  ["it is not off", { ...endpoint, OTEL_SDK_DISABLED: "false" }, true, /^$/],
  ["nothing exports traces", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, false, /^$/],
  ["gRPC is asked for", { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, false, /is "grpc".*4318/],
  ["the endpoint has no scheme", { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, false, /"localhost:4318"; allowed: a URL/],
])("where %s", async (_what, env, isOn, warned) => {
  const words: string[] = [];
  const tracing = await openTracing(env, "test", (sentence) => void words.push(sentence));
  expect([tracing !== undefined, words.join()]).toEqual([isOn, expect.stringMatching(warned)]);
  await tracing?.[Symbol.asyncDispose]();
});

const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];

it("a traceparent is followed if W3C's recommendation allows it", () => {
  expect(readTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, flags: 1 });
  expect(siblingOf(`00-${trace}-${span}-01`, "00f067aa0ba902b7")).toBe(`00-${trace}-00f067aa0ba902b7-01`);
  for (const bad of [
    ...[undefined, "", `01-${trace}-${span}-01`, `00-${trace}-${span}`, `00-${trace.toUpperCase()}-${span}-01`],
    ...[`00-${"0".repeat(32)}-${span}-01`, `00-${trace}-${"0".repeat(16)}-01`, `00-${trace}-${span}-01-x`],
  ])
    expect(readTraceparent(bad)).toBeUndefined();
});
