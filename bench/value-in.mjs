/**
 * What a Result holds; an error with the refusal's words when it holds none.
 * @template T
 * @param {import("@warpfarm/common").Result<T, { readonly message: string }>} result
 * @returns {T}
 */
export function valueIn(result) {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
