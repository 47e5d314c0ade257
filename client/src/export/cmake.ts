/** CMake files of exports: a static library, and a self-test when the folder is the top-level project. */
import { parseTarget } from "@warpfarm/common";
import { headerFolders } from "./attached.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

const tests = (units: readonly ExportUnit[], extension: string, link: string): string => `
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  enable_testing()
${units
  .map(
    ({ name }) => `  add_executable(${name}_test ${name}_test.${extension} ${name}_reference.${extension})
  target_link_libraries(${name}_test PRIVATE ${link})
  target_compile_definitions(${name}_test PRIVATE TENSORS="\${CMAKE_CURRENT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name}_test)
`,
  )
  .join("")}endif()
`;

/** \`sources\`: files of the library besides the units'. */
export function cudaCMake(library: string, units: readonly ExportUnit[], sources: readonly string[]): string {
  // What is for sm_90 runs where sm_90a does, and not the other way round.
  const { target } = units.find((unit) => unit.target.endsWith("a")) ?? (units[0] as ExportUnit);
  const architecture = target.replace(/^cuda\/sm_/, "");
  const flags = units.flatMap(({ name, kernel, reference }) => [
    ...propertyLines(`${name}.cu`, kernel),
    ...propertyLines(`${name}_reference.cu`, reference),
  ]);
  return `cmake_minimum_required(VERSION 3.18)
project(${library} LANGUAGES CXX CUDA)

find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_ARCHITECTURES ${architecture.endsWith("a") ? `${architecture}-real` : architecture})
add_library(${library} STATIC ${[...units.map(({ name }) => `${name}.cu`), ...sources].join(" ")})
target_include_directories(${library} PUBLIC \${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(${library} PUBLIC CUDA::cudart_static)
set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
${flags.join("")}${tests(units, "cu", library)}`;
}

/** The files beside a text are searched before its folders of headers, as builders do. */
function propertyLines(file: string, text: KernelText): readonly string[] {
  const folders = headerFolders(text).map((folder) => `;\${CMAKE_CURRENT_SOURCE_DIR}/${folder}`);
  const properties = [
    ...(text.source?.flags.length ? [`COMPILE_OPTIONS "${text.source.flags.join(";")}"`] : []),
    ...(folders.length > 0 ? [`INCLUDE_DIRECTORIES "\${CMAKE_CURRENT_SOURCE_DIR}${folders.join("")}"`] : []),
  ];
  return properties.length === 0 ? [] : [`set_source_files_properties(${file} PROPERTIES ${properties.join(" ")})\n`];
}

export function cCMake(library: string, units: readonly ExportUnit[], sources: readonly string[]): string {
  const { target } = units[0] as ExportUnit;
  const level = target.slice("cpu/".length);
  const march = parseTarget(target).kind === "cpu" && level === "arm64" ? "armv8-a" : level === "x86-64-v1" ? "x86-64" : level;
  const files = units.flatMap(({ name }) => [`${name}.c`, `${name}_reference.c`]);
  return `cmake_minimum_required(VERSION 3.18)
project(${library} LANGUAGES C CXX)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(OpenMP COMPONENTS C)
add_library(${library} STATIC ${[...units.map(({ name }) => `${name}.c`), ...sources].join(" ")})
target_include_directories(${library} PUBLIC \${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(${library} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
set_source_files_properties(${files.join(" ")} PROPERTIES COMPILE_OPTIONS "-O3;-march=${march};-fno-math-errno;-fno-trapping-math;-ffp-contract=fast;-w")
target_link_libraries(${library} PUBLIC m)
if(OpenMP_C_FOUND)
  target_link_libraries(${library} PUBLIC OpenMP::OpenMP_C)
endif()
${tests(units, "c", library)}`;
}
