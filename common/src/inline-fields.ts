/** The value of a flag that takes several fields: `quick,repeat=5`, given once or more often. */
export interface InlineFields {
  /** Parts without `=`. */
  readonly words: readonly string[];
  /** The last of a name counts. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Commas separate parts, but not before `-`: compilers' flags have commas too. */
export function inlineFields(given: readonly string[]): InlineFields {
  const parts = given.flatMap((text) => text.split(/,(?!-)/)).filter((part) => part !== "");
  const named = parts.filter((part) => part.includes("="));
  return {
    words: parts.filter((part) => !part.includes("=")),
    fields: new Map(named.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)])),
  };
}
