/**
 * The proto3 JSON form of messages (https://protobuf.dev/programming-guides/json), with field names as in the .proto files, as
 * any protobuf library reads and writes it. Supports only what the golden files need: no Any, no wrappers, no maps of messages.
 */
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

/** Types that JSON's numbers cannot hold: they are strings. */
const of64Bits: ReadonlySet<string> = new Set(["int64", "uint64", "sint64", "fixed64", "sfixed64"]);

export type MessageJson = { [key: string]: unknown };

export async function loadRoot(): Promise<protobuf.Root> {
  const base = fileURLToPath(new URL("..", import.meta.url));
  const root = new protobuf.Root();
  root.resolvePath = (_origin, path) => (path.startsWith("google/") ? path : `${base}${path}`);
  await root.load(
    ["farm", "worker", "artifact", "suite", "record"].map((name) => `warpfarm/${name}/v1/${name}_service.proto`),
    { keepCase: true },
  );
  root.resolveAll();
  return root;
}

const fraction = (nanos: number) =>
  nanos === 0
    ? ""
    : `.${String(nanos)
        .padStart(9, "0")
        .replace(/(000)+$/, "")}`;

interface Seconds {
  readonly seconds: number | { toNumber(): number };
  readonly nanos: number;
}

/** A decoded message as proto3 JSON; unset fields are left out. */
export function toJson(type: protobuf.Type, message: protobuf.Message): MessageJson | string {
  const plain = type.toObject(message) as Record<string, unknown>;
  if (type.fullName === ".google.protobuf.Duration" || type.fullName === ".google.protobuf.Timestamp") {
    const { seconds = 0, nanos = 0 } = plain as unknown as Partial<Seconds>;
    const whole = typeof seconds === "number" ? seconds : seconds.toNumber();
    if (type.name === "Duration") return `${whole}${fraction(nanos)}s`;
    return `${new Date(whole * 1000).toISOString().slice(0, 19)}${fraction(nanos)}Z`;
  }
  const json: MessageJson = {};
  for (const field of type.fieldsArray) {
    const value = (message as unknown as Record<string, unknown>)[field.name];
    if (!Object.hasOwn(message, field.name)) continue;
    if (field.map) json[field.name] = Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, scalar(field, v)]));
    else if (field.repeated) json[field.name] = (value as unknown[]).map((v) => scalar(field, v));
    else json[field.name] = scalar(field, value);
  }
  return json;
}

function scalar(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) return toJson(field.resolvedType, value as protobuf.Message);
  if (field.resolvedType instanceof protobuf.Enum) return field.resolvedType.valuesById[value as number];
  if (field.type === "bytes") return Buffer.from(value as Uint8Array).toString("base64");
  if (of64Bits.has(field.type)) return String(value);
  if (field.type === "double" && !Number.isFinite(value)) return String(value);
  return value;
}

/** The inverse: turns proto3 JSON into an object that protobufjs encodes. */
export function fromJson(type: protobuf.Type, json: unknown): { [key: string]: unknown } {
  if (type.name === "Duration") {
    const m = /^(\d+)(?:\.(\d{1,9}))?s$/.exec(json as string);
    if (!m) throw new Error(`not a duration: ${json}`);
    return { seconds: Number(m[1]), nanos: Number((m[2] ?? "").padEnd(9, "0")) };
  }
  if (type.name === "Timestamp") {
    const m = /^(.{19})(?:\.(\d{1,9}))?Z$/.exec(json as string);
    if (!m) throw new Error(`not a timestamp: ${json}`);
    return { seconds: Date.parse(`${m[1]}Z`) / 1000, nanos: Number((m[2] ?? "").padEnd(9, "0")) };
  }
  const message: { [key: string]: unknown } = {};
  for (const [name, value] of Object.entries(json as object)) {
    const field = type.fields[name];
    if (!field) throw new Error(`${type.fullName} has no field ${name}`);
    if (field.map) message[name] = Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, plain(field, v)]));
    else message[name] = field.repeated ? (value as unknown[]).map((v) => plain(field, v)) : plain(field, value);
  }
  return message;
}

function plain(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) return fromJson(field.resolvedType, value);
  if (field.resolvedType instanceof protobuf.Enum) return field.resolvedType.values[value as string];
  if (field.type === "bytes") return Buffer.from(value as string, "base64");
  if (of64Bits.has(field.type) || field.type === "double") return Number(value);
  return value;
}
