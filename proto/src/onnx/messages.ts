/**
 * The messages of an ONNX file that are read (onnx/onnx.proto of github.com/onnx/onnx, IR version 13), declared here for
 * protobufjs. Fields that do not matter are left out; the decoder skips them.
 */
import protobuf from "protobufjs/light.js";

const one = (id: number, type: string) => ({ id, type });
const many = (id: number, type: string) => ({ id, type, rule: "repeated" as const });

const messages = protobuf.Root.fromJSON({
  nested: {
    OperatorSetId: { fields: { domain: one(1, "string"), version: one(2, "int64") } },
    Entry: { fields: { key: one(1, "string"), value: one(2, "string") } },
    Tensor: {
      fields: {
        dims: many(1, "int64"),
        data_type: one(2, "int32"),
        float_data: many(4, "float"),
        int32_data: many(5, "int32"),
        int64_data: many(7, "int64"),
        name: one(8, "string"),
        raw_data: one(9, "bytes"),
        double_data: many(10, "double"),
        external_data: many(13, "Entry"),
        data_location: one(14, "int32"),
      },
    },
    Dimension: { fields: { dim_value: one(1, "int64"), dim_param: one(2, "string") } },
    Shape: { fields: { dim: many(1, "Dimension") } },
    TensorType: { fields: { elem_type: one(1, "int32"), shape: one(2, "Shape") } },
    Type: { fields: { tensor_type: one(1, "TensorType") } },
    ValueInfo: { fields: { name: one(1, "string"), type: one(2, "Type") } },
    Attribute: {
      fields: {
        name: one(1, "string"),
        f: one(2, "float"),
        i: one(3, "int64"),
        s: one(4, "bytes"),
        t: one(5, "Tensor"),
        g: one(6, "Graph"),
        floats: many(7, "float"),
        ints: many(8, "int64"),
        strings: many(9, "bytes"),
        type: one(20, "int32"),
      },
    },
    Node: {
      fields: {
        input: many(1, "string"),
        output: many(2, "string"),
        name: one(3, "string"),
        op_type: one(4, "string"),
        attribute: many(5, "Attribute"),
        domain: one(7, "string"),
        metadata_props: many(9, "Entry"),
      },
    },
    Graph: {
      fields: {
        node: many(1, "Node"),
        name: one(2, "string"),
        initializer: many(5, "Tensor"),
        input: many(11, "ValueInfo"),
        output: many(12, "ValueInfo"),
        value_info: many(13, "ValueInfo"),
      },
    },
    Model: {
      fields: {
        ir_version: one(1, "int64"),
        graph: one(7, "Graph"),
        opset_import: many(8, "OperatorSetId"),
        metadata_props: many(14, "Entry"),
      },
    },
  },
});

interface OnnxEntry {
  readonly key: string;
  readonly value: string;
}
export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly data_type: number;
  readonly float_data: readonly number[];
  readonly int32_data: readonly number[];
  readonly int64_data: readonly number[];
  readonly name: string;
  readonly raw_data: Uint8Array;
  readonly double_data: readonly number[];
  readonly external_data: readonly OnnxEntry[];
  /** 1: `external_data` says where the elements are. */
  readonly data_location: number;
}
export interface OnnxAttribute {
  readonly name: string;
  readonly f: number;
  readonly i: number;
  readonly s: Uint8Array;
  readonly t: OnnxTensor | null;
  readonly floats: readonly number[];
  readonly ints: readonly number[];
  readonly strings: readonly Uint8Array[];
  /** 1 f, 2 i, 3 s, 4 t, 5 g, 6 floats, 7 ints, 8 strings */
  readonly type: number;
}
interface OnnxNode {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name: string;
  readonly op_type: string;
  readonly attribute: readonly OnnxAttribute[];
  readonly domain: string;
  readonly metadata_props: readonly OnnxEntry[];
}
export interface OnnxValueInfo {
  readonly name: string;
  readonly type: {
    readonly tensor_type: {
      readonly elem_type: number;
      readonly shape: { readonly dim: readonly { readonly dim_value: number; readonly dim_param: string }[] } | null;
    } | null;
  } | null;
}
export interface OnnxGraph {
  readonly node: readonly OnnxNode[];
  readonly name: string;
  readonly initializer: readonly OnnxTensor[];
  readonly input: readonly OnnxValueInfo[];
  readonly output: readonly OnnxValueInfo[];
  readonly value_info: readonly OnnxValueInfo[];
}
export interface OnnxModel {
  readonly ir_version: number;
  readonly graph: OnnxGraph | null;
  readonly opset_import: readonly { readonly domain: string; readonly version: number }[];
  readonly metadata_props: readonly OnnxEntry[];
}

/** Every field is there, with its default; int64 beyond 2^53 lose their last digits. Throws an Error for other bytes. */
export function decodeOnnx(bytes: Uint8Array): OnnxModel {
  const type = messages.lookupType("Model");
  return type.toObject(type.decode(bytes), { longs: Number, defaults: true, arrays: true }) as OnnxModel;
}

/** Fields may be missing. For tests. */
export const encodeOnnx = (model: object): Uint8Array => {
  const type = messages.lookupType("Model");
  return type.encode(type.fromObject(model)).finish();
};
