/**
 * Vectors of a config for a cost model, besides its knobs: features of its loop nest (docs/reference/autotvm.md 5), then the
 * values of the choices, which a nest does not show. Features of its channels come first, at the same place in all vectors of a
 * space. A config that does not instantiate has an empty vector: zeros in a matrix.
 *
 * A vector is a function of task and config and takes milliseconds, so each is made once: ahead of need in threads (`warm`), or
 * on demand. The cache is bounded by its bytes; the least recently used goes first.
 */
import {
  type ConfigIndex,
  channelFeatures,
  choiceFeatures,
  type FeatureMatrix,
  featureMatrix,
  infer,
  itervarFeatures,
} from "@warpfarm/compiler";
import type { TemplateTask } from "@warpfarm/templates";

type FeatureTask = Pick<TemplateTask, "space" | "schedule">;

/** Each vector is followed by zeros up to the longest, or up to `columns`. */
export interface ConfigFeatures {
  of(configs: readonly ConfigIndex[], columns?: number): FeatureMatrix;
  /** Makes missing vectors ready. Never fails: those that are not ready are made on demand. */
  warm(configs: readonly ConfigIndex[]): Promise<void>;
}

export function extractFeatures(task: FeatureTask, index: ConfigIndex): Float32Array {
  const made = task.schedule(index);
  const inferred = made.ok ? infer(made.value.state) : undefined;
  if (!inferred?.ok) return new Float32Array(0);
  const choices = choiceFeatures(task.space, index);
  return Float32Array.from([...channelFeatures(inferred.value), ...itervarFeatures(inferred.value), ...choices]);
}

/** Makes vectors in other threads; rejects when it cannot. */
type ExtractElsewhere = (configs: readonly ConfigIndex[]) => Promise<readonly Float32Array[]>;

interface FeatureCacheOptions {
  /** Absent: `warm` does nothing and vectors are made on demand. */
  readonly elsewhere?: ExtractElsewhere;
  readonly mostBytes?: number;
}

const defaultMostBytes = 96 * 2 ** 20;

export function cachedFeatures(
  task: FeatureTask,
  { elsewhere, mostBytes = defaultMostBytes }: FeatureCacheOptions = {},
): ConfigFeatures {
  const cache = new Map<ConfigIndex, Float32Array>();
  let bytes = 0;
  const keep = (index: ConfigIndex, vector: Float32Array): void => {
    const old = cache.get(index);
    if (old) {
      bytes -= old.byteLength;
      cache.delete(index);
    }
    cache.set(index, vector);
    bytes += vector.byteLength;
    for (const [oldest, { byteLength }] of cache) {
      if (bytes <= mostBytes || cache.size === 1) break;
      cache.delete(oldest);
      bytes -= byteLength;
    }
  };
  return {
    of(configs, columns) {
      const vectors = configs.map((index) => cache.get(index) ?? extractFeatures(task, index));
      configs.forEach((index, i) => {
        keep(index, vectors[i] as Float32Array);
      });
      return featureMatrix(vectors, columns);
    },
    async warm(configs) {
      const missing = configs.filter((index) => !cache.has(index));
      if (missing.length === 0 || !elsewhere) return;
      const vectors = await elsewhere(missing).catch(() => []);
      vectors.forEach((vector, i) => {
        keep(missing[i] as ConfigIndex, vector);
      });
    },
  };
}
