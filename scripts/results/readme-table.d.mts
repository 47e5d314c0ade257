export declare function spread(ratios: readonly number[]): string;
export declare function withResults(text: string): string;
