/**
 * The kernels of benchmark_hub (AutoTuningAssociation) and of KTT (HiPerCoRe) as files for `warpfarm tune`. Nothing of them is in
 * this repository: the hub's files come from a folder, either as the hub has them (`kernels/`) or all in one; KTT's from its
 * Examples/JSON.
 *
 * convolution_milo and hotspot_milo are used as they are: text and T1 file unchanged. Two T1 files do not describe their kernel:
 *   dedispersion_milo  gives the input and the shifts one element each. The unchanged file is tried too; the searched one has
 *                      the sizes and types of the hub's own script
 *   gemm_milo          has hotspot's arguments and launch. Its space and its conditions are used unchanged; arguments and launch
 *                      are those of the hub's own script, and so is the text: CUDA's words for OpenCL's, then five files
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folders = ["", "kernels", "dedisp_milo", "gemm_milo", "kernels/dedisp_milo", "kernels/gemm_milo"];

/**
 * `agrees`: whether a config computes what the default does; absent: all do.
 * @typedef {{ name: string, note: string, isFaulty?: boolean, agrees?: (values: Record<string, unknown>) => boolean }} HubKernel
 */

/**
 * Writes NAME.cu and NAME.json of each kernel into `to`.
 * @param {string} hub
 * @param {string} to
 * @returns {HubKernel[]}
 */
export function hubKernels(hub, to) {
  const path = (name) => {
    const found = folders.map((folder) => resolve(hub, folder, name)).find((each) => existsSync(each));
    if (found === undefined) throw new Error(`--hub: ${hub} has no ${name}`);
    return found;
  };
  const copy = (from, name = from) => copyFileSync(path(from), join(to, name));
  const spec = (name) => JSON.parse(readFileSync(path(name), "utf8"));
  const write = (name, document) => writeFileSync(join(to, name), JSON.stringify(document));
  for (const name of ["convolution_milo", "hotspot_milo"]) {
    copy(`${name}.cu`);
    copy(`${name}.json`);
  }
  copy("dedispersion.h");
  copy("dedispersion.cu", "dedispersion_unchanged.cu");
  copy("dedispersion_milo.json", "dedispersion_unchanged.json");
  copy("dedispersion.cu", "dedispersion_milo.cu");
  write("dedispersion_milo.json", dedispersion(spec("dedispersion_milo.json")));
  copy("cl_to_cuda.h");
  const parts = ["common", "xgemm_part1", "xgemm_part2", "xgemm_part3", "xgemm_part4"];
  const text = parts.map((part) => readFileSync(path(`${part}.opencl`), "utf8"));
  writeFileSync(join(to, "gemm_milo.cu"), ['#include "cl_to_cuda.h"\n', ...text].join(""));
  write("gemm_milo.json", gemm(spec("gemm_milo.json")));
  return [
    { name: "convolution_milo", note: "T1 unchanged" },
    {
      name: "hotspot_milo",
      note: "T1 unchanged; a config does temporal_tiling_factor steps of time, the default one, so others are refused",
      agrees: ({ temporal_tiling_factor: steps }) => steps === 1,
    },
    { name: "dedispersion_unchanged", note: "T1 unchanged: its input has 1 element", isFaulty: true },
    { name: "dedispersion_milo", note: "T1 with its script's sizes" },
    { name: "gemm_milo", note: "T1's space, its script's launch" },
  ];
}

/**
 * CLTune's GEMM and a Coulomb sum with KTT's tuning scripts unchanged. KTT has no more scripts of CUDA kernels that say all that
 * the kernel needs (Nbody's lacks a macro).
 * @param {string} ktt
 * @param {string} to
 * @returns {HubKernel[]}
 */
export function kttKernels(ktt, to) {
  const names = ["ClTuneGemm", "CoulombSum3d"];
  for (const file of names.flatMap((name) => [`${name}.cu`, `${name}.json`])) copyFileSync(resolve(ktt, file), join(to, file));
  return names.map((name) => ({ name, note: "KTT's script unchanged" }));
}

const withKernel = (document, change) => ({
  ...document,
  KernelSpecification: { ...document.KernelSpecification, ...change },
});

function dedispersion(document) {
  const channels = 1536;
  // The largest of 2048 measures is 40.94, and a shift times that is below 650 samples.
  const sizes = {
    input_samples: { Type: "uint8", Size: channels * (25_000 + 650), FillValue: 255 },
    shifts: { Size: channels, FillValue: 15.5 },
  };
  const given = document.KernelSpecification.Arguments;
  return withKernel(document, { Arguments: given.map((each) => ({ ...each, ...sizes[each.Name] })) });
}

function gemm(document) {
  const size = 4096;
  const scalar = (Name, Type, FillValue) => ({ Name, Type, MemoryType: "Scalar", AccessType: "ReadOnly", FillValue });
  const matrix = (Name, more) => ({ Name, Type: "float", MemoryType: "Vector", Size: size * size, FillValue: 1, ...more });
  return withKernel(document, {
    LocalSize: { X: "MDIMC", Y: "NDIMC", Z: 1 },
    ProblemSize: [size, size],
    Arguments: [
      ...["m", "n", "k"].map((name) => scalar(name, "int32", size)),
      ...["alpha", "beta"].map((name) => scalar(name, "float", 1)),
      ...["A", "B"].map((name) => matrix(name, { AccessType: "ReadOnly", FillType: "Random" })),
      matrix("C", { AccessType: "ReadWrite", FillType: "Constant", FillValue: 0, Output: 1 }),
      ...["b_offset", "c_offset"].map((name) => scalar(name, "int32", 0)),
    ],
  });
}
