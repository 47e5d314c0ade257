/** Names of fields: camelCase in the code, snake_case in JSON and on the wire. */
export type Snake<S extends string> = S extends `${infer C}${infer Rest}`
  ? `${C extends Lowercase<C> ? C : `_${Lowercase<C>}`}${Snake<Rest>}`
  : "";

/** `minRepeatMs` -> `min_repeat_ms`. */
export const snakeOf = <S extends string>(name: S): Snake<S> =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<S>;
