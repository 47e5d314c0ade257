/** `--skip-broken`: how broken lines of a log are treated. */
export interface SkipFlags {
  readonly skipBroken?: boolean;
}

/** For a reader: false makes its error name the flag. */
export const skipping = ({ skipBroken = false }: SkipFlags): { readonly skipBroken: boolean } => ({ skipBroken });
