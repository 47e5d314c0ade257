/** What stands before the kernels, where there is any, and they themselves. */
export const joinedText = (prelude: string, texts: readonly string[]): string =>
  [...(prelude ? [prelude] : []), ...texts].join("\n\n");
