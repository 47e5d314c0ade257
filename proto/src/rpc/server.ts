/**
 * A gRPC server whose handlers are async functions and generators. It maps errors to statuses, hands every handler a signal, checks
 * tokens before a handler sees anything, and serves health and reflection. No handler can bring the process down: whatever it throws
 * becomes a status, and what is not a FarmError also goes to `onError`.
 */

import * as grpc from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { FarmError } from "@warpfarm/common";
import { HealthImplementation } from "grpc-health-check";
import type { AdminServiceHandlers } from "../gen/warpfarm/admin/v1/AdminService.ts";
import type { ArtifactServiceHandlers } from "../gen/warpfarm/artifact/v1/ArtifactService.ts";
import type { FarmServiceHandlers } from "../gen/warpfarm/farm/v1/FarmService.ts";
import type { WorkerServiceHandlers } from "../gen/warpfarm/worker/v1/WorkerService.ts";
import { bearerOf, parseAddress, serverCredentials, type TlsFiles } from "./credentials.ts";
import { loadServices } from "./load.ts";
import { statusOf } from "./status.ts";
import { type MessageSink, type MessageSource, reading, writing } from "./streams.ts";
import { answerSynchronizeStream, Closing } from "./synchronize-stream.ts";
import type { CallContext, ServiceHandlers } from "./types.ts";

/** Largest message either side takes. Larger things go as streams of chunks. */
export const maxMessageBytes = 4 << 20;
export const keepaliveMs = 10_000;
export const keepaliveTimeoutMs = 5_000;

export type FarmHandlers = ServiceHandlers<FarmServiceHandlers>;
/** SynchronizeStream is made of Synchronize. */
export type WorkerHandlers = Omit<ServiceHandlers<WorkerServiceHandlers>, "SynchronizeStream">;
export type ArtifactHandlers = ServiceHandlers<ArtifactServiceHandlers>;

export type AdminHandlers = ServiceHandlers<AdminServiceHandlers>;

export interface Handlers {
  readonly admin?: AdminHandlers;
  readonly farm?: FarmHandlers;
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
  const { worker } = handlers;
  const all = worker
    ? {
        ...handlers,
        worker: { ...worker, SynchronizeStream: answerSynchronizeStream(worker.Synchronize.bind(worker), ending) },
      }
    : handlers;
  for (const name of ["farm", "worker", "artifact", "admin"] as const) {
    const own = all[name];
    if (!own) continue;
    server.addService(services[name], adaptAll(services[name], own as unknown as Record<string, AnyHandler>, options));
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
        reject(new FarmError("FAILED_PRECONDITION", `cannot listen on ${options.listen}: ${error.message}`, { cause: error }));
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
        const force = setTimeout(() => server.forceShutdown(), graceMs);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      });
      return closing;
    },
  };
}

/** One for all calls: its stack says nothing, and making one costs as much as a small message. */
const callIsOver = new FarmError("CANCELLED", "the call is over");

function adaptAll(service: grpc.ServiceDefinition, handlers: Readonly<Record<string, AnyHandler>>, options: ServeOptions) {
  const adapted: grpc.UntypedServiceImplementation = {};
  for (const [name, method] of Object.entries(service)) {
    const handler = handlers[name];
    if (!handler) throw new Error(`no handler for ${method.path}`);
    adapted[name] = adapt(method, handler.bind(handlers), options) as grpc.UntypedHandleCall;
  }
  return adapted;
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

function adapt(method: grpc.MethodDefinition<unknown, unknown>, handler: AnyHandler, options: ServeOptions) {
  const { path, requestStream, responseStream } = method;
  return (call: Surface, callback: Callback) => {
    const controller = new AbortController();
    const { signal } = controller;
    // Of calls that ended well too, once their stream is closed.
    const cancelled = () => {
      if (!signal.aborted) controller.abort(new FarmError("CANCELLED", "the call was cancelled or its connection lost"));
    };
    call.on("cancelled", cancelled);
    const context: CallContext = { signal, peer: call.getPeer() };
    const failed = (error: unknown) => {
      if (!(error instanceof FarmError) && !signal.aborted) options.onError?.(path, error);
      const { code, details } = statusOf(error);
      if (responseStream) call.emit("error", { code, details });
      else callback({ code, details });
    };
    const run = async () => {
      options.authorize?.(path, bearerOf(call.metadata.get("authorization")));
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
    run()
      .catch(failed)
      .finally(() => controller.abort(callIsOver));
  };
}
