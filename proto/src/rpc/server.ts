/**
 * A gRPC server whose handlers are async functions and generators. It maps errors to statuses, hands every handler a signal, checks
 * tokens before a handler sees anything, and serves health and reflection. No handler can bring the process down: whatever it throws
 * becomes a status, and what is not a FarmError also goes to `onError`.
 */

import * as grpc from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { FarmError } from "@warpfarm/common";
import { HealthImplementation } from "grpc-health-check";
import { type SyncReply, syncReplyToWire, syncRequestFromWire } from "../convert/worker.ts";
import type { AdminServiceHandlers } from "../gen/warpfarm/admin/v1/AdminService.ts";
import type { ArtifactServiceHandlers } from "../gen/warpfarm/artifact/v1/ArtifactService.ts";
import type { FarmServiceHandlers } from "../gen/warpfarm/farm/v1/FarmService.ts";
import type { WorkerServiceHandlers } from "../gen/warpfarm/worker/v1/WorkerService.ts";
import { bearerOf, parseAddress, serverCredentials, type TlsFiles } from "./credentials.ts";
import { loadServices } from "./load.ts";
import { type MessageHandler, messageCall } from "./message-call.ts";
import { maxMessageBytes } from "./message-limit.ts";
import { statusOf } from "./status.ts";
import { type MessageSink, type MessageSource, reading, writing } from "./streams.ts";
import { answerSynchronizeStream, Closing, type Synchronize } from "./synchronize-stream.ts";
import type { CallContext, ServiceHandlers } from "./types.ts";

export const keepaliveMs = 10_000;
export const keepaliveTimeoutMs = 5_000;

/**
 * What was cut off has gone by then, or never will: grpc-js waits for ever for a connection that spoke no HTTP/2, TLS for instance, and
 * breaks just as the server closes.
 */
const partingMs = 1_000;

export type FarmHandlers = ServiceHandlers<FarmServiceHandlers>;
export type WorkerHandlers = Pick<ServiceHandlers<WorkerServiceHandlers>, "Register"> & {
  readonly synchronize: Synchronize;
};
export type ArtifactHandlers = ServiceHandlers<ArtifactServiceHandlers>;

export type AdminHandlers = ServiceHandlers<AdminServiceHandlers>;

export interface Handlers {
  readonly admin?: AdminHandlers;
  /** With `measure`, Measure is taken by the message: for who takes thousands a second. */
  readonly farm?: FarmHandlers | (Omit<FarmHandlers, "Measure"> & { readonly measure: MessageHandler });
  readonly worker?: WorkerHandlers;
  readonly artifact?: ArtifactHandlers;
}

export interface ServeOptions {
  /** host:port; port 0 takes a free one. */
  readonly listen: string;
  readonly tls?: TlsFiles;
  /** Throws UNAUTHENTICATED or PERMISSION_DENIED. `path` is "/warpfarm.farm.v1.FarmService/OpenSession". */
  readonly authorize?: (path: string, token: string | undefined) => void;
  /** Called with everything thrown that is not a FarmError. */
  readonly onError?: (path: string, error: unknown) => void;
}

/** A service name of grpc.health.v1 that is SERVING as long as the process lives, whatever else is not: for liveness probes. */
export const livenessService = "liveness";

export interface RpcServer {
  readonly port: number;
  /** What grpc.health.v1 says of every service, and of "" for all; true at first. When closed it is false for good. */
  setServing(serving: boolean): void;
  /** Refuses new calls, lets the running ones end for `graceMs`, then cuts them off. Idempotent. */
  close(graceMs: number): Promise<void>;
}

type Surface = grpc.ServerUnaryCall<unknown, unknown> & MessageSource & MessageSink & { end(): void };
type Callback = (error: { code: grpc.status; details: string } | null, value?: unknown) => void;
type AnyHandler = (input: unknown, context: CallContext) => unknown;

/** Starts listening; resolves with the port in use. */
export async function serve(handlers: Handlers, options: ServeOptions): Promise<RpcServer> {
  const services = loadServices();
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
  for (const name of ["farm", "worker", "artifact", "admin"] as const) {
    const own = name === "worker" ? handlers.worker && onTheWire(handlers.worker) : handlers[name];
    if (!own) continue;
    const { definition, adapted } = adaptAll(services[name], own as Readonly<Record<string, AnyHandler>>, streams, options);
    server.addService(definition, adapted);
    healthNames.push(`warpfarm.${name}.v1.${name[0]?.toUpperCase()}${name.slice(1)}Service`);
  }
  const setServing = (serving: boolean) => {
    for (const name of healthNames) health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
  };
  setServing(true);
  health.addToServer(server);
  new ReflectionService(services.definition).addToServer({
    addService: (service, streams) => server.addService(service, guarded(service, streams, options)),
  });
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

/** grpc-js says how many addresses it tried, then what the system said to each. */
const whyNot = ({ message }: Error): string => /errors: \[(.*)\]$/s.exec(message)?.[1] ?? message;

/** One for all calls: its stack says nothing, and making one costs as much as a small message. */
const callIsOver = new FarmError("CANCELLED", "the call is over");

const asBytes = (message: Buffer): Buffer => message;

function adaptAll(
  service: grpc.ServiceDefinition,
  handlers: Readonly<Record<string, AnyHandler | undefined>>,
  streams: Readonly<Record<string, MessageHandler | undefined>>,
  options: ServeOptions,
) {
  const adapted: grpc.UntypedServiceImplementation = {};
  const definition: Record<string, grpc.MethodDefinition<unknown, unknown>> = {};
  for (const [name, method] of Object.entries(service)) {
    const { path } = method;
    const stream = streams[path];
    const handler = handlers[name];
    if (stream) {
      definition[name] = { ...method, requestDeserialize: asBytes, responseSerialize: asBytes as (value: unknown) => Buffer };
      adapted[name] = adaptMessages(path, stream, options) as grpc.UntypedHandleCall;
    } else if (handler) {
      definition[name] = method;
      adapted[name] = adapt(method, handler.bind(handlers), options) as grpc.UntypedHandleCall;
    } else throw new Error(`no handler for ${path}`);
  }
  return { definition, adapted };
}

const onTheWire = ({
  Register,
  synchronize,
}: WorkerHandlers): Omit<ServiceHandlers<WorkerServiceHandlers>, "SynchronizeStream"> => ({
  Register,
  Synchronize: async (wire, context) => {
    const request = syncRequestFromWire(wire);
    return syncReplyToWire(await new Promise<SyncReply>((reply, fail) => synchronize(request, context, { reply, fail })));
  },
});

/** The methods that are taken by the message, by path. */
function takenByMessage({ farm, worker }: Handlers, closing: Closing): Readonly<Record<string, MessageHandler | undefined>> {
  const services = loadServices();
  return {
    [services.farm.Measure.path]: farm && "measure" in farm ? farm.measure : undefined,
    [services.worker.SynchronizeStream.path]: worker && answerSynchronizeStream(worker.synchronize, closing),
  };
}

/** Streams that others implement, behind the same doors as ours. */
function guarded(service: grpc.ServiceDefinition, streams: grpc.UntypedServiceImplementation, options: ServeOptions) {
  const all: grpc.UntypedServiceImplementation = {};
  for (const [name, { path }] of Object.entries(service))
    all[name] = (call: grpc.ServerDuplexStream<unknown, unknown>) => {
      try {
        options.authorize?.(path, bearerOf(call.metadata.get("authorization")));
      } catch (error) {
        call.emit("error", statusOf(error));
        return;
      }
      (streams[name] as grpc.handleBidiStreamingCall<unknown, unknown>)(call);
    };
  return all;
}

/** The signal of a call, and what its errors become. */
function contextOf(call: Surface, path: string, options: ServeOptions) {
  const controller = new AbortController();
  const { signal } = controller;
  // Of calls that ended well too, once their stream is closed.
  call.on("cancelled", () => {
    if (!signal.aborted) controller.abort(new FarmError("CANCELLED", "the call was cancelled or its connection lost"));
  });
  const context: CallContext = { signal, peer: call.getPeer() };
  const statusFor = (error: unknown) => {
    if (!(error instanceof FarmError) && !signal.aborted) options.onError?.(path, error);
    return statusOf(error);
  };
  const authorize = () => options.authorize?.(path, bearerOf(call.metadata.get("authorization")));
  return { context, statusFor, authorize, over: () => controller.abort(callIsOver) };
}

function adaptMessages(path: string, handler: MessageHandler, options: ServeOptions) {
  return (stream: grpc.ServerDuplexStream<Buffer, Buffer>) => {
    const { context, statusFor, authorize } = contextOf(stream as unknown as Surface, path, options);
    const call = messageCall(stream, context, statusFor);
    try {
      authorize();
      handler(call);
    } catch (error) {
      call.fail(error);
    }
  };
}

function adapt(method: grpc.MethodDefinition<unknown, unknown>, handler: AnyHandler, options: ServeOptions) {
  const { path, requestStream, responseStream } = method;
  return (call: Surface, callback: Callback) => {
    const { context, statusFor, authorize, over } = contextOf(call, path, options);
    const { signal } = context;
    const failed = (error: unknown) => {
      const status = statusFor(error);
      if (responseStream) call.emit("error", status);
      else callback(status);
    };
    const run = async () => {
      authorize();
      // A stream's read errors (a broken message, a lost connection) reach the handler as CANCELLED.
      const mapError = () => new FarmError("CANCELLED", "the request stream broke off");
      const input = requestStream ? reading(call, { signal, mapError }) : call.request;
      if (!responseStream) {
        callback(null, await handler(input, context));
        return;
      }
      for await (const message of handler(input, context) as AsyncIterable<unknown>) await writing(call, message, signal);
      call.end();
    };
    run().catch(failed).finally(over);
  };
}
