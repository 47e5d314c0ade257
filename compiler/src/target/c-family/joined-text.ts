export const joinedText = (prelude: string, texts: readonly string[]): string =>
  [...(prelude ? [prelude] : []), ...texts].join("\n\n");
