/**
 * Identifiers of a text: the program's own names where they are identifiers, with a number behind one that is taken. A name is
 * free again when its scope closes, so neighbouring loops keep their names of the schedule.
 */

const reserved = new Set(
  `alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr continue decltype
  default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if inline int long mutable
  namespace new noexcept not not_eq nullptr operator or or_eq override private protected public register reinterpret_cast restrict return
  short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
  union unsigned using virtual void volatile wchar_t while xor xor_eq _Bool _Complex _Imaginary _Generic _Atomic _Noreturn _Thread_local
  asm typeof args main linux unix i386 blockIdx threadIdx blockDim gridDim warpSize min max abs exp log sqrt tanh expf logf sqrtf tanhf
  fabsf fabs half printf malloc free memcpy memset shared_memory NULL NAN INFINITY HUGE_VAL HUGE_VALF EOF BUFSIZ
  RAND_MAX assert errno stdin stdout stderr`.split(/\s+/),
);

/**
 * Names of the prelude, those of intrinsics (tile_*) aside: f32x4, splat_f32x4, floor_div_i32, max_f32, bf16_to_f32, round_f16.
 */
const isHelper = (name: string): boolean =>
  /^(?:(?:splat|min|max|add|sub|mul|round|wrap|load|store|floor_div|floor_mod)_)?b?[fiub]\d+(?:x\d+)?$|^b?[fi]\d+(?:x\d+)?_to_b?[fiu]\d+(?:x\d+)?$/.test(
    name,
  );

export class Names {
  readonly #of = new Map<object, string>();
  readonly #taken = new Set<string>();
  readonly #used = new Set<object>();
  #changes = 0;

  /** Increases when a name is added or removed: earlier texts may then be written differently. */
  get changes(): number {
    return this.#changes;
  }

  declare(thing: object, wanted: string): string {
    const clean = wanted.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_");
    let name = clean;
    for (let i = 1; this.#isTaken(name); i++) name = `${clean.replace(/^_+/, "")}_${i}`;
    this.#taken.add(name);
    this.#of.set(thing, name);
    this.#changes++;
    return name;
  }
  #isTaken(name: string): boolean {
    return this.#taken.has(name) || reserved.has(name) || name.startsWith("__") || name.startsWith("tile_") || isHelper(name);
  }
  release(thing: object): void {
    const name = this.#of.get(thing);
    if (name !== undefined) this.#taken.delete(name);
    this.#of.delete(thing);
    this.#changes++;
  }
  setText(thing: object, text: string): void {
    this.#of.set(thing, text);
    this.#changes++;
  }
  reserve(name: string): void {
    this.#taken.add(name);
  }
  get(thing: object): string {
    this.#used.add(thing);
    return this.#of.get(thing) ?? "";
  }
  isUsed(thing: object): boolean {
    return this.#used.has(thing);
  }
}
