/**
 * Exports for GPUs as text: device code and, in the same file, a launcher for the CUDA runtime, with several kernels, a
 * workspace, clusters, launch attributes and tensor maps (encoded at each launch, because they contain addresses).
 */
import type { LaunchAttribute, ManifestArg, ManifestConstant, ManifestKernel, TensorMap } from "@warpfarm/common";
import { headerFolders } from "./attached.ts";
import { aboutLines, comment, parameterName, parametersOf, renamed, tensorsOf, workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

export const cudaSource = (unit: ExportUnit): string =>
  comment([...aboutLines(unit), ...includeLines(unit.kernel)]) + cudaText(unit.kernel, unit.name);
export const cudaReference = (unit: ExportUnit): string =>
  comment([
    `The reference that ${unit.name} is compared with: its computation as it is written down.`,
    ...includeLines(unit.reference),
  ]) + cudaText(unit.reference, `${unit.name}_reference`);

const includeLines = (text: KernelText): readonly string[] =>
  headerFolders(text).length === 0 ? [] : [`compile with ${["-I.", ...headerFolders(text).map((f) => `-I${f}`)].join(" ")}`];

function cudaText(text: KernelText, prefix: string): string {
  const { source, maps = [] } = text;
  const defines = Object.entries(source?.defines ?? {});
  return [
    defines.map(([name, value]) => `#define ${name} ${value}\n`).join(""),
    renamed(text, prefix),
    `${text.text}\n`,
    // The kernel's macros must not change the following code.
    defines.map(([name]) => `#undef ${name}\n`).join(""),
    "#include <cuda_runtime.h>\n",
    halfHeaders(text),
    maps.length > 0 ? mapEncoder(prefix) : "",
    launcher(text, prefix),
  ].join("");
}

function launcher(text: KernelText, prefix: string): string {
  const { kernels, maps = [], constants = [] } = text;
  const { bytes } = workspacesOf(text);
  const aligned = tensorsOf(text).map(({ name, align }) => `(size_t)${parameterName(name)} % ${align}`);
  if (bytes > 0) aligned.push("!workspace", "(size_t)workspace % 256");
  return `
extern "C" cudaError_t ${prefix}_launch(${parametersOf(text)}, void *workspace, cudaStream_t stream) {
  (void)workspace;
  if (${aligned.join(" || ")}) return cudaErrorMisalignedAddress;
  cudaError_t error = cudaSuccess;
${maps.map((map, i) => mapLines(map, i, placeOf(text), prefix)).join("")}${constants.map((one) => constantLines(one, text)).join("")}${kernels.map((kernel) => launchLines(kernel, text)).join("")}  return error;
}
`;
}

/** Constant memory has its tensor's content before the kernels run. */
function constantLines({ symbol, buffer }: ManifestConstant, text: KernelText): string {
  const bytes = text.buffers.find(({ name }) => name === buffer)?.bytes ?? 0;
  return `  error = cudaMemcpyToSymbolAsync(${symbol}, ${placeOf(text)(buffer)}, ${bytes}, 0, cudaMemcpyDeviceToDevice, stream);
  if (error != cudaSuccess) return error;
`;
}

const placeOf = (text: KernelText): ((buffer: string) => string) => {
  const { offsets } = workspacesOf(text);
  return (buffer) => {
    const offset = offsets.get(buffer);
    return offset === undefined ? `(void *)${parameterName(buffer)}` : `(void *)((char *)workspace + ${offset})`;
  };
};

const scalarTypes: Readonly<Record<string, string>> = {
  float32: "float",
  float64: "double",
  int8: "signed char",
  uint8: "unsigned char",
  int32: "int",
  int64: "long long",
};

const halfHeaders = ({ kernels }: KernelText): string =>
  (["float16", "bfloat16"] as const)
    .filter((half) =>
      kernels.some(({ args }) => args.some((arg) => typeof arg === "object" && "scalar" in arg && arg.scalar === half)),
    )
    .map((half) => `#include <cuda_${half === "float16" ? "fp16" : "bf16"}.h>\n`)
    .join("");

function argument(
  arg: ManifestArg,
  i: number,
  place: (buffer: string) => string,
): readonly [declaration: string, address: string] {
  if (typeof arg === "string") return [`    void *a${i} = ${place(arg)};\n`, `&a${i}`];
  if ("map" in arg) return ["", `&map${arg.map}`];
  if ("bytes" in arg) {
    const bytes = [...Buffer.from(arg.bytes, "hex")].join(", ");
    return [`    alignas(16) unsigned char a${i}[] = {${bytes}};\n`, `a${i}`];
  }
  const { scalar, value } = arg;
  if (scalar === "float16" || scalar === "bfloat16") {
    const header = scalar === "float16" ? "__half" : "__nv_bfloat16";
    return [`    ${header} a${i} = ${scalar === "float16" ? "__float2half" : "__float2bfloat16"}(${value}f);\n`, `&a${i}`];
  }
  return [`    ${scalarTypes[scalar]} a${i} = ${literal(scalar, value)};\n`, `&a${i}`];
}

function literal(scalar: string, value: string): string {
  if (scalar === "float32") return `(float)${value}`;
  if (scalar === "int64") return value === "-9223372036854775808" ? "-9223372036854775807LL - 1" : `${value}LL`;
  return value === "-2147483648" ? "-2147483647 - 1" : value;
}

function launchLines(kernel: ManifestKernel, text: KernelText): string {
  const { name, grid, block, dynamic_shared_bytes: shared, cluster, args, attributes = [] } = kernel;
  const parts = args.map((arg, i) => argument(arg, i, placeOf(text)));
  const isClustered = cluster.some((extent) => extent > 1);
  const attribute = (what: string, value: number) =>
    `    error = cudaFuncSetAttribute(${functionOf(name)}, ${what}, ${value});\n    if (error != cudaSuccess) return error;\n`;
  const carveout = attributes.find((one) => one.kind === "shared_carveout");
  const config = [...(isClustered ? [clusterLine(cluster)] : []), ...attributes.flatMap(attributeLine)];
  return `  {
${parts.map(([declaration]) => declaration).join("")}    void *args[] = {${parts.map(([, address]) => address).join(", ")}};
${shared > 0 ? attribute("cudaFuncAttributeMaxDynamicSharedMemorySize", shared) : ""}${isClustered && cluster[0] * cluster[1] * cluster[2] > 8 ? attribute("cudaFuncAttributeNonPortableClusterSizeAllowed", 1) : ""}${carveout ? attribute("cudaFuncAttributePreferredSharedMemoryCarveout", carveout.percent) : ""}${
  config.length === 0
    ? `    error = cudaLaunchKernel(${functionOf(name)}, dim3(${grid}), dim3(${block}), args, ${shared}, stream);\n`
    : `    cudaLaunchAttribute attributes[${config.length}];
${config.map((line, i) => line(`attributes[${i}]`)).join("")}    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(${grid});
    config.blockDim = dim3(${block});
    config.dynamicSmemBytes = ${shared};
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = ${config.length};
    error = cudaLaunchKernelExC(&config, ${functionOf(name)}, args);
`
}    if (error != cudaSuccess) return error;
  }
`;
}

const functionOf = (name: string): string => `(const void *)${/^\w+$/.test(name) ? name : `(${name})`}`;

type AttributeLine = (attribute: string) => string;
const clusterLine =
  ([x, y, z]: ManifestKernel["cluster"]): AttributeLine =>
  (to) =>
    `    ${to}.id = cudaLaunchAttributeClusterDimension;\n    ${to}.val.clusterDim.x = ${x};\n    ${to}.val.clusterDim.y = ${y};\n    ${to}.val.clusterDim.z = ${z};\n`;

function attributeLine(attribute: LaunchAttribute): readonly AttributeLine[] {
  switch (attribute.kind) {
    case "dependent":
      return [
        (to) =>
          `    ${to}.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n    ${to}.val.programmaticStreamSerializationAllowed = 1;\n`,
      ];
    case "cooperative":
      return [(to) => `    ${to}.id = cudaLaunchAttributeCooperative;\n    ${to}.val.cooperative = 1;\n`];
    case "cluster_scheduling": {
      const policy =
        attribute.policy === "spread" ? "cudaClusterSchedulingPolicySpread" : "cudaClusterSchedulingPolicyLoadBalancing";
      return [
        (to) =>
          `    ${to}.id = cudaLaunchAttributeClusterSchedulingPolicyPreference;\n    ${to}.val.clusterSchedulingPolicyPreference = ${policy};\n`,
      ];
    }
    case "shared_carveout":
      return [];
  }
}

/** Gets a function of the driver through the runtime, so only the runtime is linked. */
const mapEncoder = (prefix: string): string => `#include <cuda.h>

template <class Encode> static cudaError_t ${prefix}_encoder(const char *name, Encode *encode) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
  cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
  cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  if (error != cudaSuccess) return error;
  if (result != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  *encode = (Encode)found;
  return cudaSuccess;
}
`;

const mapTypes: Readonly<Record<TensorMap["type"], string>> = {
  float16: "FLOAT16",
  bfloat16: "BFLOAT16",
  float32: "FLOAT32",
  tfloat32: "TFLOAT32",
  float64: "FLOAT64",
  float8_e4m3fn: "UINT8",
  float8_e5m2: "UINT8",
  int8: "UINT8",
  uint8: "UINT8",
  int32: "INT32",
  int64: "INT64",
};

/** Dimensions are the driver's: innermost first. */
function mapLines(map: TensorMap, i: number, place: (buffer: string) => string, prefix: string): string {
  const { dims, box, im2col } = map;
  const list = (values: readonly number[]) => values.toReversed().join(", ") || "0";
  const name = `cuTensorMapEncode${im2col ? "Im2col" : "Tiled"}`;
  const boxed = im2col
    ? `const int lower[] = {${list(im2col.lower)}}, upper[] = {${list(im2col.upper)}};\n    const cuuint32_t`
    : `const cuuint32_t box[] = {${list(box)}},`;
  return `  alignas(64) CUtensorMap map${i};
  {
    decltype(&${name}) encode = nullptr;
    error = ${prefix}_encoder("${name}", &encode);
    if (error != cudaSuccess) return error;
    const cuuint64_t dims[] = {${list(dims)}}, strides[] = {${list(map.strides_bytes)}};
    ${boxed} steps[] = {${list(map.element_strides)}};
    if (encode(&map${i}, CU_TENSOR_MAP_DATA_TYPE_${mapTypes[map.type]}, ${dims.length}, ${place(map.buffer)}, dims, strides, ${im2col ? `lower, upper, ${box[1]}, ${box[0]}` : "box"}, steps,
               CU_TENSOR_MAP_INTERLEAVE_${map.interleave === 0 ? "NONE" : `${map.interleave}B`}, CU_TENSOR_MAP_SWIZZLE_${map.swizzle === 0 ? "NONE" : `${map.swizzle}B`},
               CU_TENSOR_MAP_L2_PROMOTION_${map.l2 === 0 ? "NONE" : `L2_${map.l2}B`},
               CU_TENSOR_MAP_FLOAT_OOB_FILL_${map.oob === "nan" ? "NAN_REQUEST_ZERO_FMA" : "NONE"}) != CUDA_SUCCESS)
      return cudaErrorInvalidValue;
  }
`;
}
