/** Python modules of exports: one for a kernel, and one for a library of shapes. */
import { sizesOf } from "../dispatch.ts";
import type { Front } from "../files.ts";
import { aboutLines, shapeWords, tensorsOf, workspacesOf } from "../layout.ts";
import type { ExportUnit } from "../unit.ts";
import { devicePython } from "./device.ts";

export const documented = (lines: readonly string[]): string =>
  `"""${lines.join("\n").replaceAll("\\", "\\\\").replaceAll('"""', "'''")}\n"""\n`;

const needs = (target: string): string =>
  target.startsWith("cuda/") ? "Needs the NVIDIA driver, of CUDA 11.8 or later." : `Needs a processor of ${target}.`;

/** How a kernel is called. */
const callLines = ({ kernel, target }: ExportUnit): readonly string[] => [
  `    launch(${tensorsOf(kernel)
    .map(({ name }) => name)
    .join(", ")}, workspace=None${target.startsWith("cuda/") ? ", stream=0" : ""})`,
  "",
  ...tensorsOf(kernel).map((tensor) => `    ${shapeWords(tensor)}`),
  `    workspace: ${workspacesOf(kernel).bytes} bytes, aligned to 256; none needed when 0`,
];

const tensorWords = (target: string): string =>
  target.startsWith("cuda/")
    ? "A tensor is a device array that has __cuda_array_interface__ (CuPy, PyTorch, Numba) or an address as an int."
    : "A tensor is an array that has __array_interface__ (NumPy) or an address as an int.";

export function pythonModule(unit: ExportUnit): string {
  const about = [...aboutLines(unit), "", ...callLines(unit), "", tensorWords(unit.target), needs(unit.target)];
  return `${documented(about)}${devicePython}

_kernel = Kernel("${unit.name}")
LAUNCH = _kernel.document
TENSORS = _kernel.tensors
WORKSPACE_BYTES = _kernel.workspace_bytes
launch = _kernel.launch
`;
}

/** One function for each entry; with the sizes of a shape it returns the shape's kernel. */
export function pythonLibrary(library: string, fronts: readonly Front[]): string {
  const [first] = fronts[0]?.units as [ExportUnit];
  const { target } = first;
  const about = [
    `${library}: kernels for ${target}, by the sizes of their shapes. Written by warpfarm export.`,
    "",
    ...fronts.flatMap(({ name, units }) =>
      units.map(({ args }) => `    ${name}(${sizesOf(args).join(", ")}): ${JSON.stringify(args)}`),
    ),
    "",
    "An entry returns a kernel; its launch takes the tensors (kernel.tensors) in order. A shape without a kernel is a ValueError.",
    tensorWords(target),
    needs(target),
  ];
  const entry = ({ name, units }: Front): string =>
    `${name} = Entry(
    "${name}",
    {
${units
  .map(
    (unit) =>
      `        (${sizesOf(unit.args)
        .map((size) => `${size},`)
        .join(" ")}): "${unit.name}",\n`,
  )
  .join("")}    },
)
`;
  return `${documented(about)}${devicePython}

class Entry:
    """The kernels of one operator, by the numbers among its arguments."""

    def __init__(self, name, names):
        self.name, self.names, self.kernels = name, names, {}

    def __call__(self, *sizes):
        if sizes not in self.names:
            raise ValueError("%s has no kernel for %s; it has those for %s" % (self.name, sizes, ", ".join(map(str, self.names))))
        if sizes not in self.kernels:
            self.kernels[sizes] = Kernel(self.names[sizes])
        return self.kernels[sizes]


${fronts.map(entry).join("")}`;
}
