/** What tests use of figures.mjs. */
export declare function spread(ratios: readonly number[]): string;
