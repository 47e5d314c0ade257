/** Joins what comes before the kernels, if there is any, and the kernels. */
export const joinedText = (prelude: string, texts: readonly string[]): string =>
  [...(prelude ? [prelude] : []), ...texts].join("\n\n");
