/**
 * Matrix products of decoder-only transformers, one layer and the head: prefill of 2048 tokens, and decode of 16 sequences at
 * once. Sizes: Touvron et al., Llama 2: Open Foundation and Fine-Tuned Chat Models (2023), and the published model
 * configurations: 7B hidden 4096, 32 layers, feed-forward 11008; 70B hidden 8192, 80 layers, feed-forward 28672, 8 groups of keys
 * and values of
 * 128. Weights are [out, in], so the second operand is transposed.
 */

interface Model {
  readonly hidden: number;
  readonly layers: number;
  readonly feedForward: number;
  readonly keys: number;
  readonly vocabulary: number;
}

const phases = { prefill: 2048, decode: 16 };

/** M rows of activations times [K, N]; `count`: how often in one pass through the model. */
function productsOf({ hidden, layers, feedForward, keys, vocabulary }: Model) {
  return Object.entries(phases).flatMap(([phase, M]) => [
    { M, N: hidden + 2 * keys, K: hidden, count: layers, label: `${phase} q,k,v` },
    { M, N: hidden, K: hidden, count: layers, label: `${phase} out` },
    { M, N: 2 * feedForward, K: hidden, count: layers, label: `${phase} gate,up` },
    { M, N: hidden, K: feedForward, count: layers, label: `${phase} down` },
    { M: phase === "prefill" ? 16 : M, N: vocabulary, K: hidden, count: 1, label: `${phase} head` },
  ]);
}

const suiteOf = (name: string, about: string, model: Model) => ({
  name,
  about,
  tasks: [
    { task: "matmul_mma", args: { dtype: "float16", layout: "NT" }, shapes: productsOf(model) },
    { task: "matmul_derived", targets: ["cpu/*"], args: { dtype: "float32", layout: "NT" }, shapes: productsOf(model) },
  ],
  budget: { trials: 64 },
});

export const transformer7b = suiteOf(
  "transformer-7b",
  "matrix products of a 7B transformer: prefill of 2048 tokens, decode of 16",
  {
    hidden: 4096,
    layers: 32,
    feedForward: 11008,
    keys: 4096,
    vocabulary: 32000,
  },
);
export const transformer70b = suiteOf(
  "transformer-70b",
  "matrix products of a 70B transformer: prefill of 2048 tokens, decode of 16",
  {
    hidden: 8192,
    layers: 80,
    feedForward: 28672,
    keys: 1024,
    vocabulary: 32000,
  },
);
