/**
 * OpenTelemetry, by the variables of its specification
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/), over OTLP as JSON by HTTP. Nothing of it
 * is loaded unless an endpoint is set. Its packages read the rest: headers, timeout, compression, sampler, batches, limits.
 */
import type { Attributes as OtelAttributes } from "@opentelemetry/api";
import { type Clock, systemClock } from "@warpfarm/common";
import { readTraceparent, type Span, type SpanEnd, type SpanOptions, siblingOf, type Tracing } from "./tracing.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const isOn = (env: Environment): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" &&
  (env.OTEL_TRACES_EXPORTER || "otlp") === "otlp";

/** Why nothing can be sent as the environment asks; undefined: it can. */
function whyNot(env: Environment): string | undefined {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ? "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL" : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const protocol = env[name];
  if (protocol === "grpc")
    return `${name} is "grpc", and traces are sent over HTTP alone: set it to http/json, and the endpoint to the collector's HTTP port (usually 4318)`;
  for (const endpoint of ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])
    if (env[endpoint] && !/^https?:\/\/[^/\s]/.test(env[endpoint] ?? ""))
      return `${endpoint} is ${JSON.stringify(env[endpoint])}; allowed: a URL such as http://localhost:4318`;
  return undefined;
}

/**
 * Undefined unless the environment sets an endpoint. `service`: the name of this process where OTEL_SERVICE_NAME gives none.
 * `warn` is told once what keeps traces from being sent.
 */
export async function openTracing(
  env: Environment,
  service: string,
  warn: (sentence: string) => void,
  clock: Clock = systemClock,
): Promise<Tracing | undefined> {
  if (!isOn(env)) return undefined;
  const why = whyNot(env);
  if (why !== undefined) {
    warn(`no traces are sent: ${why}`);
    return undefined;
  }
  const [api, sdk, resources, exporter] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const ids = new sdk.RandomIdGenerator();
  let nextId: string | undefined;
  const provider = new sdk.TracerProvider({
    idGenerator: {
      generateTraceId: () => ids.generateTraceId(),
      generateSpanId: () => nextId ?? ids.generateSpanId(),
    },
    resource: resources
      .resourceFromAttributes({ "service.name": service })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("warpfarm");
  const of = (context: { readonly traceId: string; readonly spanId: string; readonly traceFlags: number }): string =>
    `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, "0")}`;

  const begin = (name: string, { parent, id, startMs, attributes }: SpanOptions): Span => {
    const remote = readTraceparent(parent);
    const context = remote
      ? api.trace.setSpanContext(api.ROOT_CONTEXT, {
          ...{ traceId: remote.traceId, spanId: remote.spanId, traceFlags: remote.flags, isRemote: true },
        })
      : api.ROOT_CONTEXT;
    nextId = id;
    const span = tracer.startSpan(
      name,
      // One clock for all: the SDK's own adds a duration of another clock to a start in whole milliseconds.
      { startTime: startMs ?? clock.now(), ...(attributes ? { attributes: attributes as OtelAttributes } : {}) },
      context,
    );
    nextId = undefined;
    const own = of(span.spanContext());
    // The sampler left it out. Whoever names it by its id still gets that one.
    const traceparent = id === undefined ? own : siblingOf(own, id);
    return {
      traceparent,
      part: (name) => begin(name, { parent: traceparent }),
      // The SDK ignores what comes behind the first end.
      end({ endMs, error, attributes }: SpanEnd = {}) {
        if (attributes) span.setAttributes(attributes as OtelAttributes);
        if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: error });
        span.end(endMs ?? clock.now());
      },
    };
  };
  const tracing = (parent: string | undefined): Tracing => ({
    span: (name, options = {}) => begin(name, { ...options, parent: options.parent ?? parent }),
    within: (traceparent) => tracing(traceparent),
    // Spans that nobody takes are dropped after the exporter's own timeouts.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => {}),
  });
  return tracing(undefined);
}
