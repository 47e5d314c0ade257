/** Numbers in words: times, counts, shares. */
const scales = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "us"],
  [1e-9, "ns"],
] as const;

/** 0.0000123 -> "12.3 us". */
export function timeWords(seconds: number | undefined, digits = 3): string {
  if (seconds === undefined || !(seconds > 0)) return "–";
  const [scale, unit] = scales.find(([least]) => seconds >= least) ?? scales[3];
  return `${(seconds / scale).toPrecision(Math.max(digits, seconds / scale >= 999.5 ? 4 : 3))} ${unit}`;
}

export const countWords = (count: number, one: string): string => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;

/** A relative half-width, in seven letters at most: 0.021 -> "2.1 %", 1.68 -> "168 %", none -> "". */
export function spreadWords(spread: number): string {
  if (!(spread > 0)) return "";
  if (spread >= 9.995) return "> 999 %";
  return percent(spread, spread < 0.0995 ? 1 : 0);
}

/** 95,000 -> "1 min 35 s". */
export function spanWords(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

export const dateWords = (ms: number): string => (ms > 0 ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : "–");

export const argsWords = (args: readonly unknown[]): string => args.map((arg) => JSON.stringify(arg)).join(" ");

export const bytesWords = (bytes: number): string => {
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes > 0 ? Math.min(4, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${(bytes / 1024 ** power).toPrecision(3)} ${unit[power]}`;
};

/** MeasureErrorNo in words. */
export const errorWords: readonly string[] = [
  "timed",
  "instantiation",
  "compile host",
  "compile device",
  "runtime on device",
  "wrong answer",
  "build timeout",
  "run timeout",
  "unknown",
];

/**
 * Behind the number of trials that ended: how many there will be. The default schedule is measured besides, so there may be more.
 */
export const ofTrials = ({ finished, trials }: { readonly finished: number; readonly trials?: number }): string =>
  trials === undefined || finished >= trials ? "" : ` of ${trials.toLocaleString("en")}`;
