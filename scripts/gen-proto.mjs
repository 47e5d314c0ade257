/**
 * `npm run gen`: proto/src/gen/wire.ts, the TypeScript types of the messages and services of proto/warpfarm (committed, never
 * edited). Types are of messages as proto/src/rpc/load.ts decodes them; `Sent` is what its encoders take.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const folder = fileURLToPath(new URL("../proto", import.meta.url));
const head = `// npm run gen: from proto/warpfarm
import type { MethodDefinition } from "@grpc/proto-loader";

/** A message for an encoder: what is missing has its default. */
export type Sent<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer E)[]
    ? Sent<E>[]
    : T extends object
      ? { [K in keyof T]?: Sent<T[K]> }
      : T;

export interface Method<Req, Res> extends MethodDefinition<Sent<Req>, Sent<Res>, Req, Res> {}
export interface Unary<Req, Res> extends Method<Req, Res> { readonly requestStream: false; readonly responseStream: false }
export interface ClientStream<Req, Res> extends Method<Req, Res> { readonly requestStream: true; readonly responseStream: false }
export interface ServerStream<Req, Res> extends Method<Req, Res> { readonly requestStream: false; readonly responseStream: true }
export interface Bidi<Req, Res> extends Method<Req, Res> { readonly requestStream: true; readonly responseStream: true }
`;

const scalars = { string: "string", bool: "boolean", bytes: "Buffer" };
/** Names of enums and messages by their full names; one in a message is Message_Name. */
const names = new Map();

/** @param {protobuf.Field} field */
function typeOf(field) {
  const { resolvedType, repeated } = field;
  const one = resolvedType ? names.get(resolvedType.fullName) : (scalars[field.type] ?? "number");
  if (field instanceof protobuf.MapField) return `Record<string, ${one}>`;
  if (repeated) return `${one}[]`;
  return resolvedType instanceof protobuf.Type ? `${one} | null` : one;
}

/** @param {protobuf.Type} type */
const ofMessage = (type) => [
  `export interface ${names.get(type.fullName)} {`,
  ...type.fieldsArray.map((field) => `  ${field.name}${field.partOf ? "?" : ""}: ${typeOf(field)};`),
  "}",
];
/** @param {protobuf.Enum} type */
const ofEnum = (type) => [
  `export type ${names.get(type.fullName)} = ${Object.keys(type.values)
    .map((name) => `"${name}"`)
    .join(" | ")};`,
];

/** @param {protobuf.Service} service */
const ofService = (service) => [
  `export type ${service.name} = {`,
  ...service.methodsArray.map(({ name, requestStream, responseStream, resolvedRequestType, resolvedResponseType }) => {
    const kind = requestStream ? (responseStream ? "Bidi" : "ClientStream") : responseStream ? "ServerStream" : "Unary";
    return `  ${name}: ${kind}<${resolvedRequestType?.name}, ${resolvedResponseType?.name}>;`;
  }),
  "};",
];

const root = new protobuf.Root();
root.resolvePath = (_from, file) => (protobuf.common.get(file) ? file : join(folder, file));
root.loadSync(
  readdirSync(join(folder, "warpfarm"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".proto"))
    .sort()
    .map((name) => join("warpfarm", name)),
  { keepCase: true },
);
root.resolveAll();

const all = [];
const walk = (within, prefix) => {
  for (const each of within.nestedArray) {
    if (each instanceof protobuf.Service) all.push(each);
    else if (each instanceof protobuf.Type || each instanceof protobuf.Enum) {
      const name = `${prefix}${each.name}`;
      if ([...names.values()].includes(name)) throw new Error(`${each.fullName}: there is another ${name}; rename one`);
      names.set(each.fullName, name);
      all.push(each);
      if (each instanceof protobuf.Type) walk(each, `${name}_`);
    } else walk(each, "");
  }
};
walk(root, "");
const text = all.map((each) =>
  (each instanceof protobuf.Service ? ofService(each) : each instanceof protobuf.Enum ? ofEnum(each) : ofMessage(each)).join(
    "\n",
  ),
);
mkdirSync(join(folder, "src/gen"), { recursive: true });
writeFileSync(join(folder, "src/gen/wire.ts"), `${head}\n${text.join("\n\n")}\n`);
