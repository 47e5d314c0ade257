/** What the texts of several device functions and declarations have in common. */

/** Of every function that a kernel calls. */
export const qualifier = "static __device__ __forceinline__";

/** Where in shared memory a generic pointer points. */
export const sharedAddress = (pointer: string): string => `(unsigned int)__cvta_generic_to_shared(${pointer})`;

/** The same as an operand of inline PTX. */
export const addressOperand = (pointer: string): string => `"r"(${sharedAddress(pointer)})`;

interface SharedArray {
  readonly type: string;
  readonly name: string;
  readonly length: number;
  readonly align: number;
}
/** An array of the block: static, or with `offset`, in bytes, in the launch's dynamic memory. */
export const sharedDeclaration = ({ type, name, length, align }: SharedArray, offset: number | undefined): string =>
  offset === undefined
    ? `__shared__ __align__(${align}) ${type} ${name}[${length}];`
    : `${type} *const ${name} = (${type} *)(shared_memory + ${offset});`;
