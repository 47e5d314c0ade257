/** Python modules of exports: one for a kernel, and one for a library of shapes. */
import { askedOf, sizesOf } from "../dispatch.ts";
import type { Front } from "../files.ts";
import { aboutLines, shapeWords, tensorsOf, workspacesOf } from "../layout.ts";
import type { ExportUnit, LibraryShape } from "../unit.ts";
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
  const [first] = fronts.flatMap(({ units, libraries = [] }) => [...units, ...libraries]) as [LibraryShape];
  const { target } = first;
  const about = [
    `${library}: kernels for ${target}, by the sizes of their shapes. Written by warpfarm export.`,
    "",
    ...fronts.flatMap(({ name, units }) =>
      units.map((unit) => `    ${name}(${sizesOf(askedOf(unit)).join(", ")}): ${JSON.stringify(askedOf(unit))}`),
    ),
    ...fronts.flatMap(({ name, libraries = [] }) =>
      libraries.map(
        (shape) => `    ${name}(${sizesOf(askedOf(shape)).join(", ")}): ${JSON.stringify(askedOf(shape))}, the library's`,
      ),
    ),
    "",
    "An entry returns a kernel; its launch takes the tensors (kernel.tensors) in order. A shape without a kernel is a ValueError.",
    tensorWords(target),
    needs(target),
  ];
  const key = (shape: LibraryShape): string =>
    `(${sizesOf(askedOf(shape))
      .map((size) => `${size},`)
      .join(" ")})`;
  const entry = ({ name, units, libraries = [] }: Front): string =>
    `${name} = Entry(
    "${name}",
    {
${units.map((unit) => `        ${key(unit)}: "${unit.name}",\n`).join("")}    },
${libraries.length === 0 ? "" : `    [${libraries.map(key).join(", ")}],\n`})
`;
  return `${documented(about)}${devicePython}

class _Library:
    """A shape that what the caller registered serves, called as a kernel is."""

    def __init__(self, entry, sizes):
        self.entry, self.sizes, self.workspace_bytes = entry, sizes, 0

    def launch(self, *tensors, workspace=None, stream=0):
        if self.entry.library is None:
            name = self.entry.name
            raise RuntimeError("%s%s is served by a library; register it: %s.use(function)" % (name, self.sizes, name))
        return self.entry.library(self.sizes, *tensors, workspace=workspace, stream=stream)


class Entry:
    """The kernels of one operator, by the numbers among its arguments."""

    def __init__(self, name, names, libraries=()):
        self.name, self.names, self.libraries, self.kernels = name, names, libraries, {}
        self.library = None

    def use(self, library):
        """Registers what serves the shapes of a library: library(sizes, *tensors, workspace=None, stream=0)."""
        self.library = library

    def __call__(self, *sizes):
        if sizes in self.libraries:
            return _Library(self, sizes)
        if sizes not in self.names:
            raise ValueError("%s has no kernel for %s; it has those for %s" % (self.name, sizes, ", ".join(map(str, [*self.names, *self.libraries]))))
        if sizes not in self.kernels:
            self.kernels[sizes] = Kernel(self.names[sizes])
        return self.kernels[sizes]


${fronts.map(entry).join("")}`;
}
