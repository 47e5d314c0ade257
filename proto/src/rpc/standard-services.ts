/**
 * The services that every gRPC server has: health and reflection. Loaded by a process that serves, because they take as long to
 * load as grpc-js.
 */
import type * as grpc from "@grpc/grpc-js";
import type { PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";

export { HealthImplementation } from "grpc-health-check";

export type Foreign = Pick<grpc.Server, "addService">;

/** Made by the first call: it decodes every descriptor, which takes a tenth of a tracker's start. */
export function addReflection(definition: PackageDefinition, server: Foreign): void {
  const handlersOf = (of: PackageDefinition) => {
    const found: [grpc.ServiceDefinition, grpc.UntypedServiceImplementation][] = [];
    new ReflectionService(of).addToServer({ addService: (service, handlers) => void found.push([service, handlers]) });
    return found;
  };
  let made: ReturnType<typeof handlersOf> | undefined;
  for (const [index, [service, empty]] of handlersOf({}).entries()) {
    const asked = (name: string) => (call: never, done: never) => {
      made ??= handlersOf(definition);
      return (made[index]?.[1][name] as (call: never, done: never) => void)(call, done);
    };
    server.addService(service, Object.fromEntries(Object.keys(empty).map((name) => [name, asked(name)])) as never);
  }
}
