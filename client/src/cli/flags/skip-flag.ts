/** `--skip-broken`: what becomes of lines of a log that are no records. */
export interface SkipFlags {
  readonly skipBroken?: boolean;
}

/** For a reader: false makes its error name the flag. */
export const skipping = ({ skipBroken = false }: SkipFlags): { readonly skipBroken: boolean } => ({ skipBroken });
