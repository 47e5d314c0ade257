/**
 * A gRPC server whose handlers are async functions and generators. It maps errors to statuses, gives every handler a signal,
 * checks tokens before a handler sees anything, and serves health and reflection. No handler can end the process: whatever it
 * throws becomes a status, and anything but a FarmError also goes to `onError`.
 */
import * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import { readTraceparent } from "../trace/tracing.ts";
import { keepaliveMs, keepaliveTimeoutMs } from "./channel.ts";
import { parseAddress, serverCredentials, type TlsFiles } from "./credentials.ts";
import { decodeRequest } from "./decode.ts";
import { type Doors, OpenStreams, openDoors, type Principal, sameAsBefore, shownBy } from "./doors.ts";
import { loadServices } from "./load.ts";
import { type MessageHandler, messageCall } from "./message-call.ts";
import { maxMessageBytes } from "./message-limit.ts";
import { statusOf } from "./status.ts";
import { type MessageSink, type MessageSource, reading, writing } from "./streams.ts";
import { answerSynchronizeStream, Closing, type Synchronize } from "./synchronize-stream.ts";
import type { CallContext, ServiceHandlers } from "./types.ts";

/**
 * After this time a connection is cut off. It is gone by then, or never goes: grpc-js waits for ever for a connection that spoke
 * no HTTP/2 (but TLS, for instance) and breaks just as the server closes.
 */
const partingMs = 1_000;

export type FarmHandlers = ServiceHandlers<Wire.FarmService>;
export type WorkerHandlers = Pick<ServiceHandlers<Wire.WorkerService>, "Register"> & {
  readonly synchronize: Synchronize;
};
export type ArtifactHandlers = ServiceHandlers<Wire.ArtifactService>;

export type AdminHandlers = ServiceHandlers<Wire.AdminService>;
export type RecordHandlers = ServiceHandlers<Wire.RecordService>;

export type SuiteHandlers = ServiceHandlers<Wire.SuiteService>;

export interface Handlers {
  readonly suite?: SuiteHandlers;
  readonly admin?: AdminHandlers;
  /** With `measure`, the Measure call is handled by the message, for servers of thousands of messages a second. */
  readonly farm?: FarmHandlers | (Omit<FarmHandlers, "Measure"> & { readonly measure: MessageHandler });
  readonly worker?: WorkerHandlers;
  readonly artifact?: ArtifactHandlers;
  readonly record?: RecordHandlers;
}

export interface ServeOptions {
  readonly listen: string;
  readonly tls?: TlsFiles;
  /** Absent: callers are not identified. */
  readonly doors?: Doors;
  readonly onRefused?: (path: string, peer: string, error: FarmError) => void;
  /** Called with everything thrown that is not a FarmError. */
  readonly onError?: (path: string, error: unknown) => void;
}

/** A service name of grpc.health.v1 that is SERVING as long as the process lives, for liveness probes. */
export const livenessService = "liveness";

export interface RpcServer {
  readonly port: number;
  /**
   * Sets the state that grpc.health.v1 reports for every service and for ""; true at first. A closed server is false for good.
   */
  setServing(serving: boolean): void;
  /** Refuses new calls, lets the running ones end for `graceMs`, then cuts them off. Idempotent. */
  close(graceMs: number): Promise<void>;
}

type Surface = grpc.ServerUnaryCall<unknown, unknown> & { request: unknown } & MessageSource & MessageSink & { end(): void };
type Callback = (error: { code: grpc.status; details: string } | null, value?: unknown) => void;
type AnyHandler = (input: unknown, context: CallContext) => unknown;

/** Starts listening, and resolves with the port in use. */
export async function serve(handlers: Handlers, options: ServeOptions): Promise<RpcServer> {
  const services = loadServices();
  const { addReflection, HealthImplementation } = await import("./standard-services.ts");
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.keepalive_time_ms": keepaliveMs,
    "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
    "grpc.max_concurrent_streams": 1024,
  });
  const health = new HealthImplementation({ [livenessService]: "SERVING" });
  const healthNames = [""];
  const ending = new Closing();
  const streams = takenByMessage(handlers, ending);
  const { doors = openDoors } = options;
  const open = new OpenStreams();
  const forgetDoors = doors.onChange?.(() => open.recheck());
  const entrance: Entrance = { ...options, doors, open };
  for (const name of ["farm", "worker", "artifact", "admin", "record", "suite"] as const) {
    const own = handlers[name];
    if (!own) continue;
    const { definition, adapted } = adaptAll(services[name], own as Readonly<Record<string, AnyHandler>>, streams, entrance);
    server.addService(definition, adapted);
    healthNames.push(`warpfarm.${name}.v1.${name[0]?.toUpperCase()}${name.slice(1)}Service`);
  }
  const setServing = (serving: boolean) => {
    for (const name of healthNames) health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
  };
  setServing(true);
  const foreign = {
    addService: (service: grpc.ServiceDefinition, handlers: grpc.UntypedServiceImplementation) =>
      server.addService(bytesOf(service), guarded(service, handlers, entrance)),
  };
  health.addToServer(foreign as grpc.Server);
  addReflection(services.definition, foreign);
  parseAddress(options.listen);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(options.listen, serverCredentials(options.tls), (error, bound) => {
      if (error)
        reject(new FarmError("FAILED_PRECONDITION", `cannot listen on ${options.listen}: ${whyNot(error)}`, { cause: error }));
      else resolve(bound);
    });
  });
  let closing: Promise<void> | undefined;
  return {
    port,
    setServing(serving) {
      if (!closing) setServing(serving);
    },
    close(graceMs) {
      closing ??= new Promise((resolve) => {
        setServing(false);
        forgetDoors?.();
        ending.close();
        let late: NodeJS.Timeout | undefined;
        const force = setTimeout(() => {
          server.forceShutdown();
          late = setTimeout(resolve, partingMs);
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(force);
          clearTimeout(late);
          resolve();
        });
      });
      return closing;
    },
  };
}

/** The system's reasons for each address. grpc-js writes the number of addresses in front of them. */
const whyNot = ({ message }: Error): string => /errors: \[(.*)\]$/s.exec(message)?.[1] ?? message;

/** One error for all calls: its stack says nothing, and making one costs as much as a small message. */
const callIsOver = new FarmError("CANCELLED", "the call is over");

const asBytes = (message: Buffer): Buffer => message;
const bytesOf = (service: grpc.ServiceDefinition): grpc.ServiceDefinition =>
  Object.fromEntries(Object.entries(service).map(([name, method]) => [name, { ...method, requestDeserialize: asBytes }]));

function adaptAll(
  service: grpc.ServiceDefinition,
  handlers: Readonly<Record<string, AnyHandler | undefined>>,
  streams: Readonly<Record<string, MessageHandler | undefined>>,
  entrance: Entrance,
) {
  const adapted: grpc.UntypedServiceImplementation = {};
  const definition: Record<string, grpc.MethodDefinition<unknown, unknown>> = {};
  for (const [name, method] of Object.entries(service)) {
    const { path } = method;
    const stream = streams[path];
    const handler = handlers[name];
    // A request is decoded after its sender is known.
    definition[name] = { ...method, requestDeserialize: asBytes };
    if (stream) {
      definition[name] = { ...method, requestDeserialize: asBytes, responseSerialize: asBytes as (value: unknown) => Buffer };
      adapted[name] = adaptMessages(path, stream, entrance) as grpc.UntypedHandleCall;
    } else if (handler) {
      adapted[name] = adapt(method, handler.bind(handlers), entrance) as grpc.UntypedHandleCall;
    } else throw new Error(`no handler for ${path}`);
  }
  return { definition, adapted };
}

function takenByMessage({ farm, worker }: Handlers, closing: Closing): Readonly<Record<string, MessageHandler | undefined>> {
  const services = loadServices();
  return {
    [services.farm.Measure.path]: farm && "measure" in farm ? farm.measure : undefined,
    [services.worker.Synchronize.path]: worker && answerSynchronizeStream(worker.synchronize, closing),
  };
}

interface Entrance extends ServeOptions {
  readonly doors: Doors;
  readonly open: OpenStreams;
}

/** Throws the reason for which a call is refused, and reports it. */
function admit(call: Surface, path: string, { doors, onRefused }: Entrance): Principal {
  try {
    return doors.authorize(path, shownBy(call));
  } catch (error) {
    if (error instanceof FarmError) onRefused?.(path, call.getPeer(), error);
    throw error;
  }
}

function guarded(service: grpc.ServiceDefinition, handlers: grpc.UntypedServiceImplementation, entrance: Entrance) {
  const all: grpc.UntypedServiceImplementation = {};
  for (const [name, { path, originalName = name, requestStream, responseStream, requestDeserialize }] of Object.entries(
    service,
  )) {
    const handler = (handlers[name] ?? handlers[originalName]) as (call: Surface, callback: Callback) => void;
    all[name] = ((call: Surface, callback: Callback) => {
      const failed = (error: unknown) => (responseStream ? call.emit("error", statusOf(error)) : callback(statusOf(error)));
      try {
        const principal = admit(call, path, entrance);
        if (requestStream) decodeMessages(call, requestDeserialize, failed);
        else call.request = decodeRequest(requestDeserialize, call.request as Buffer);
        if (responseStream) recheck(call, path, principal, entrance, failed);
        handler(call, callback);
      } catch (error) {
        failed(error);
      }
    }) as grpc.UntypedHandleCall;
  }
  return all;
}

function decodeMessages(call: Surface, deserialize: (bytes: Buffer) => unknown, failed: (error: unknown) => void): void {
  const on = call.on.bind(call) as (event: string, listener: (value: never) => void) => unknown;
  const decodes = (event: string, listener: (value: unknown) => void) =>
    on(event, (value: Buffer) => {
      if (event !== "data") return listener(value);
      try {
        listener(decodeRequest(deserialize, value));
      } catch (error) {
        failed(error);
      }
    });
  Object.assign(call, { on: decodes });
}

function recheck(
  call: Surface,
  path: string,
  principal: Principal,
  { doors, open }: Entrance,
  failed: (error: unknown) => void,
): void {
  const shown = shownBy(call);
  const over = new AbortController();
  for (const event of ["cancelled", "error"]) call.on(event as "error", () => over.abort());
  open.add(() => {
    try {
      sameAsBefore(doors, path, shown, principal);
    } catch (error) {
      failed(error);
    }
  }, over.signal);
}

/** The signal of a call, and the mapping of its errors. Throws when the caller may not make the call. */
function contextOf(call: Surface, path: string, entrance: Entrance) {
  const controller = new AbortController();
  const { signal } = controller;
  // "cancelled" also comes for calls that ended well, once their stream is closed.
  call.on("cancelled", () => {
    if (!signal.aborted) controller.abort(new FarmError("CANCELLED", "the call was cancelled or its connection lost"));
  });
  const statusFor = (error: unknown) => {
    if (!(error instanceof FarmError) && !signal.aborted) entrance.onError?.(path, error);
    return statusOf(error);
  };
  const principal = admit(call, path, entrance);
  const [told] = call.metadata.get("traceparent");
  const traceparent = typeof told === "string" && readTraceparent(told) ? told : undefined;
  const context: CallContext = { signal, peer: call.getPeer(), principal, traceparent };
  return { context, statusFor, abort: (why: FarmError) => controller.abort(why) };
}

function adaptMessages(path: string, handler: MessageHandler, entrance: Entrance) {
  return (stream: grpc.ServerDuplexStream<Buffer, Buffer>) => {
    const surface = stream as unknown as Surface;
    try {
      const { context, statusFor } = contextOf(surface, path, entrance);
      const call = messageCall(stream, context, statusFor);
      recheck(surface, path, context.principal, entrance, call.fail);
      handler(call);
    } catch (error) {
      stream.emit("error", statusOf(error));
    }
  };
}

function adapt(method: grpc.MethodDefinition<unknown, unknown>, handler: AnyHandler, entrance: Entrance) {
  const { path, requestStream, responseStream, requestDeserialize } = method;
  return (call: Surface, callback: Callback) => {
    const answer = (status: ReturnType<typeof statusOf>) => (responseStream ? call.emit("error", status) : callback(status));
    let admitted: ReturnType<typeof contextOf>;
    try {
      admitted = contextOf(call, path, entrance);
    } catch (error) {
      answer(statusOf(error));
      return;
    }
    const { context, statusFor, abort } = admitted;
    const { signal } = context;
    if (requestStream || responseStream) recheck(call, path, context.principal, entrance, (error) => abort(error as FarmError));
    const run = async () => {
      // A stream's read errors (a lost connection) reach the handler as CANCELLED.
      const mapError = () => new FarmError("CANCELLED", "the request stream broke off");
      const input = requestStream
        ? decoding(reading<Buffer>(call, { signal, mapError }), requestDeserialize)
        : decodeRequest(requestDeserialize, call.request as Buffer);
      if (!responseStream) {
        callback(null, await handler(input, context));
        return;
      }
      for await (const message of handler(input, context) as AsyncIterable<unknown>) await writing(call, message, signal);
      call.end();
    };
    run()
      .catch((error: unknown) => answer(statusFor(error)))
      .finally(() => abort(callIsOver));
  };
}

async function* decoding(messages: AsyncIterable<Buffer>, deserialize: (bytes: Buffer) => unknown) {
  for await (const message of messages) yield decodeRequest(deserialize, message);
}
