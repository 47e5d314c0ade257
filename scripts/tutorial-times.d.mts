export interface MeasuredStep {
  readonly step: number;
  readonly dtype: string;
  readonly n: number;
  readonly us: number;
  readonly gflops: number;
}
export function withTimes(
  text: string,
  results?: {
    readonly device: { readonly name: string };
    readonly date: string;
    readonly figures: { readonly steps: readonly MeasuredStep[] };
  },
): string;
