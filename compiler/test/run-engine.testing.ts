/**
 * CUDA text that uses the copy engine or clusters, run on this machine's processor: the text as it is printed, but for the helper
 * functions of mbarriers, boxes and meetings, in whose place stands what the PTX ISA says of their instructions. Threads are
 * contexts that run until they wait; warps meet by themselves; boxes land as late as somebody waits for them, and are read when
 * their copy begins or, in the other order of threads, as late as the thread that began it waits. Blocks of a cluster run
 * together, each with shared memory of its own. A program in which nobody goes on, or one block reaches for another that has
 * ended, ends with an error. Source: PTX ISA, "mbarrier", "cp.async.bulk.tensor", "Tensor swizzling modes",
 * "barrier.cluster", "st.async", "shfl.sync".
 */
import type { TensorMap } from "@warpfarm/common";
import { dtypeBytes } from "@warpfarm/common";
import { hostHeaders, mainText, runOnHost, slotsOf } from "../../test-support/run-c.ts";
import type { TensorData } from "../src/ir/numeric.ts";
import type { DeviceText } from "../src/target/index.ts";

const machine = `${hostHeaders}#include <ucontext.h>
#include <stdint.h>
#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static
#define __constant__ static const
struct Place { int x, y, z; };
static Place blockIdx, threadIdx;
struct Any { void *p; Any &operator=(void *q) { p = q; return *this; } operator void *() { return p; } template <class T> operator T *() { return (T *)p; } };
static Any buffers[64];
// Of a cluster's blocks, threads one behind the other.
enum { most = 4096, blocks_most = 8, shared_bytes = 1 << 18 };
enum State { running, at_block, at_consumers, at_warp, at_warpgroup, polling, ended };
static int consumers, group_met[most];
static State states[most];
static ucontext_t scheduler, contexts[most];
static int current, block_threads, cluster;
static bool backwards;
static void (*kernel)();
static void fail(const char *why) { fprintf(stderr, "%s\\n", why); exit(2); }
// Those of the standard library take four times as long to compile as all the rest.
template <class Key, class Value> struct Table {
  Key keys[1024];
  Value values[1024];
  int size = 0;
  int find(Key key) { int i = 0; while (i < size && keys[i] != key) ++i; return i; }
  bool has(Key key) { return find(key) < size; }
  Value &operator[](Key key) {
    const int i = find(key);
    if (i == 1024) fail("a table is full");
    if (i == size) keys[size++] = key;
    return values[i];
  }
};
template <class Item> struct List {
  Item items[1024];
  int size = 0;
  void add(const Item &item) { if (size == 1024) fail("a list is full"); items[size++] = item; }
  Item take(int at) { const Item item = items[at]; for (--size; at < size; ++at) items[at] = items[at + 1]; return item; }
};
static void yield(State s) { states[current] = s; swapcontext(&contexts[current], &scheduler); }
static void enter();
static void __syncthreads() { yield(at_block); }
static void meet(int n) { consumers = n; yield(at_consumers); }
static void warpgroup_meets(int group) { group_met[current] = group; yield(at_warpgroup); }
static void __syncwarp() { yield(at_warp); }
// Each thread of a cluster arrives and waits in turn; who waits goes on when all that have not ended have arrived as often.
static int arrived[most], waited[most], cluster_threads;
static void cluster_arrive() {
  if (arrived[current]++ > waited[current]) fail("a thread arrives twice and has not waited");
}
static void cluster_wait() {
  if (++waited[current] > arrived[current]) fail("a thread waits and has not arrived");
  for (int t = 0; t < cluster_threads; ++t) while (states[t] != ended && arrived[t] < waited[current]) yield(polling);
  yield(running);
}
static void cluster_meets() { cluster_arrive(); cluster_wait(); }
template <class T> static T exchange(T x, int distance) {
  static T given[most];
  given[current] = x;
  yield(at_warp);
  const T other = given[current ^ distance];
  yield(at_warp);
  return other;
}
static float __int_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static int rank_of_block() { return current / block_threads; }

// What the launch gives, and arrays that a kernel declares: each block has them at the same offsets of its own.
static unsigned char shared_of[blocks_most][shared_bytes] __align__(1024);
#define shared_memory shared_of[rank_of_block()]
static Table<const void *, size_t> declared;
static size_t declared_bytes;
static void *declare(const void *where, size_t bytes, size_t align) {
  if (!declared.has(where)) {
    declared_bytes = (declared_bytes + align - 1) / align * align;
    declared[where] = declared_bytes;
    declared_bytes += bytes;
  }
  return shared_memory + declared[where];
}
static void *peer(void *p, int rank) {
  if (rank >= cluster) fail("a block that the cluster does not have");
  bool lives = false;
  for (int t = 0; t < block_threads; ++t) lives |= states[rank * block_threads + t] != ended;
  if (!lives) fail("a block reaches for one that has ended");
  return shared_of[rank] + ((unsigned char *)p - shared_memory);
}

// A phase is over when all have arrived and all bytes have come.
struct Bar { int arrivals, pending; long bytes; unsigned phase; };
static Table<void *, Bar> bars;
static void settle(Bar &b) { if (b.pending == 0 && b.bytes == 0) { b.phase++; b.pending = b.arrivals; } }
static Bar &bar(void *at) {
  if (!bars.has(at)) fail("a barrier that nobody has made");
  return bars[at];
}
static void arrive(Bar &b) {
  if (b.pending-- == 0) fail("one arrival too many");
  settle(b);
}
// Of images: corners and steps of the walk over pixels, columns first.
struct Map { char *base; int rank, bytes, swizzle; long dims[5], strides[5]; int box[5]; bool walks; int lower[2], upper[2], steps[2]; };
// Of a value that a thread sends there is no map: its bytes stand at x.
struct Landing { const Map *map; char *to; int x[5]; void *bar; int taps[2]; int bytes; };
static List<Landing> landings;
static char *swizzled(char *p, int mode) {
  const uintptr_t a = (uintptr_t)p;
  return (char *)(a ^ ((a >> 7 & (mode / 16 - 1)) << 4));
}
// Each element of a box: where it lies in memory, or 0 outside of the tensor, and where in shared memory.
template <class F> static void each(const Map &m, const int *x, char *shared, F f) {
  int at[5] = {0}, size = 1;
  for (int d = 0; d < m.rank; ++d) size *= m.box[d];
  if ((uintptr_t)shared % 128) { fprintf(stderr, "a box begins at no multiple of 128 bytes\\n"); exit(2); }
  for (int i = 0; i < size; ++i) {
    char *from = m.base;
    for (int d = 0, rest = i; d < m.rank; rest /= m.box[d], ++d) {
      at[d] = x[d] + rest % m.box[d];
      if (from) from = at[d] < 0 || at[d] >= m.dims[d] ? 0 : from + at[d] * m.strides[d];
    }
    char *const to = shared + (long)i * m.bytes;
    f(from, m.swizzle ? swizzled(to, m.swizzle) : to, m.bytes);
  }
}
// The same of a run of pixels: box is channels, then pixels.
template <class F> static void eachPixel(const Map &m, const int *first, const int *taps, char *shared, F f) {
  if ((uintptr_t)shared % 128) fail("pixels begin at no multiple of 128 bytes");
  int x = first[1], y = first[2], n = first[3];
  for (int p = 0; p < m.box[1]; ++p) {
    for (int c = 0; c < m.box[0]; ++c) {
      const long at[] = {first[0] + c, x + taps[0], y + taps[1], n};
      char *from = m.base;
      for (int d = 0; d < 4; ++d) if (from) from = at[d] < 0 || at[d] >= m.dims[d] ? 0 : from + at[d] * m.strides[d];
      char *const to = shared + ((long)p * m.box[0] + c) * m.bytes;
      f(from, m.swizzle ? swizzled(to, m.swizzle) : to, m.bytes);
    }
    x += m.steps[0];
    if (x < m.dims[1] + m.upper[0]) continue;
    x = m.lower[0], y += m.steps[1];
    if (y < m.dims[2] + m.upper[1]) continue;
    y = m.lower[1], n += 1;
  }
}
static long boxBytes(const Map &m) { long n = m.bytes; for (int d = 0; d < (m.walks ? 2 : m.rank); ++d) n *= m.box[d]; return n; }
static void land(const Landing &l) {
  const auto copy = [](char *from, char *to, int n) { if (from) memcpy(to, from, n); else memset(to, 0, n); };
  if (!l.map) memcpy(l.to, l.x, l.bytes);
  else if (l.map->walks) eachPixel(*l.map, l.x, l.taps, l.to, copy);
  else each(*l.map, l.x, l.to, copy);
  Bar &b = bar(l.bar);
  b.bytes -= l.map ? boxBytes(*l.map) : l.bytes;
  settle(b);
}
struct __align__(64) tensor_map { unsigned char bytes[128]; };
static tensor_map maps[16];
static void stored(const Map &m, const int *x, char *from) {
  each(m, x, from, [](char *to, char *from, int n) { if (to) memcpy(to, from, n); });
}

// Copies out of shared memory, by the thread that began them. Who ends without a wait may lose them.
struct Storing { int thread; bool committed; const Map *map; int x[5]; char *from; };
static List<Storing> storings;
static void enter() {
  kernel();
  for (int i = 0; i < storings.size; ++i) if (storings.items[i].thread == current) fail("a thread ends before its stores are read");
  states[current] = ended;
}
static void readStores() {
  for (int i = 0; i < storings.size;) {
    if (storings.items[i].thread != current || !storings.items[i].committed) { ++i; continue; }
    const Storing s = storings.take(i);
    if (backwards) stored(*s.map, s.x, s.from);
  }
}

// The blocks of one cluster, the first of which is that of blockIdx.
static void runCluster(int blocks, int x, int y, int z) {
  static char stacks[most][1 << 16];
  const int own = x * y * z, n = own * blocks;
  const Place first = blockIdx;
  bars.size = 0;
  consumers = 0, block_threads = own, cluster = blocks, cluster_threads = n, declared.size = 0, declared_bytes = 0;
  memset(arrived, 0, sizeof arrived), memset(waited, 0, sizeof waited), memset(shared_of, 0xff, (size_t)shared_bytes * blocks);
  for (int t = 0; t < n; ++t) {
    getcontext(&contexts[t]);
    contexts[t].uc_stack = {stacks[t], 0, sizeof stacks[t]};
    contexts[t].uc_link = &scheduler;
    makecontext(&contexts[t], enter, 0);
    states[t] = running;
  }
  for (int idle = 0;;) {
    bool done = true, on = false;
    for (int i = 0; i < n; ++i) {
      // The last block is ahead of the others as far as they let it.
      if (backwards && on && i % own == 0) break;
      current = backwards ? n - 1 - i : i;
      if (states[current] == running || states[current] == polling) {
        const int t = current % own;
        threadIdx = {t % x, t / x % y, t / x / y};
        blockIdx.x = first.x + current / own;
        const State before = states[current];
        swapcontext(&scheduler, &contexts[current]);
        on |= before == running || states[current] != polling;
      }
    }
    for (int t = 0; t < n; ++t) done &= states[t] == ended;
    blockIdx = first;
    if (done) break;
    // All of these threads stand there: they go on.
    const auto let = [&](int from, int end, State at) {
      bool all = end > from;
      for (int t = from; t < end; ++t) all &= states[t] == at;
      for (int t = from; all && t < end; ++t) states[t] = running;
      on |= all;
    };
    for (int b = 0; b < n; b += own) {
      for (int w = 0; w < own; w += 32) let(b + w, b + (w + 32 < own ? w + 32 : own), at_warp);
      let(b, b + own, at_block);
      let(b, b + consumers, at_consumers);
      for (int group = 0; group < 14; ++group) {
        int met = 0;
        for (int t = b; t < b + own; ++t) met += states[t] == at_warpgroup && group_met[t] == group;
        if (met > 128) fail("more than a warpgroup meets");
        for (int t = b; met == 128 && t < b + own; ++t)
          if (states[t] == at_warpgroup && group_met[t] == group) states[t] = running, on = true;
      }
    }
    if (!on && landings.size > 0) land(landings.take(backwards ? landings.size - 1 : 0));
    else if (!on && ++idle > 3) { fprintf(stderr, "nobody goes on\\n"); exit(2); }
    if (on) idle = 0;
  }
  if (landings.size > 0) { fprintf(stderr, "the block ends and boxes are on their way\\n"); exit(2); }
}
`;

const helpers = `static void mbarrier_init(unsigned long long *b, int n) {
  if (bars.has(b)) fail("a barrier is made twice");
  bars[b] = {n, n, 0, 0};
}
static void mbarrier_init_done() {}
static void mbarrier_expect(unsigned long long *b, int bytes) { bar(b).bytes += bytes; arrive(bar(b)); }
static void mbarrier_arrive(unsigned long long *b) { arrive(bar(b)); }
static void mbarrier_arrive_at(unsigned long long *b, int block, int blocks) { if (block < blocks) arrive(bar(peer(b, block))); }
static void mbarrier_wait(unsigned long long *b, int parity) { while ((bar(b).phase & 1) == (unsigned)parity) yield(polling); }
static void fence_async() {}
static void tma_store_commit() { for (int i = 0; i < storings.size; ++i) if (storings.items[i].thread == current) storings.items[i].committed = true; }
static void tma_store_read() { readStores(); }
static void tma_store_done() { tma_store_commit(); readStores(); }
static void *in_block(void *p, int block) { return peer(p, block); }
template <class T> static void send(void *to, void *b, int block, T value) {
  Landing l = {0, (char *)peer(to, block), {}, peer(b, block)};
  memcpy(l.x, &value, l.bytes = sizeof value);
  if (backwards) land(l); else landings.add(l);
}
`;
const pixels = `static void tma_pixels_4d(void *to, const tensor_map *m, int c, int x, int y, int n, int s, int r, void *b) { landings.add({*(Map *const *)m, (char *)to, {c, x, y, n}, b, {s, r}}); }
static void tma_pixels_4d_to(void *to, const tensor_map *m, int c, int x, int y, int n, int s, int r, void *b, int blocks) {
  for (int k = 0; k < 16; ++k) if (blocks >> k & 1) {
    const Landing l = {*(Map *const *)m, (char *)peer(to, k), {c, x, y, n}, peer(b, k), {s, r}};
    if (backwards) land(l); else landings.add(l);
  }
}
`;
const engineOf = (rank: number): string => {
  const given = Array.from({ length: rank }, (_, d) => `int x${d}`).join(", ");
  const list = Array.from({ length: rank }, (_, d) => `x${d}`).join(", ");
  return `static void tma_load_${rank}d(void *to, const tensor_map *m, ${given}, void *b) { landings.add({*(Map *const *)m, (char *)to, {${list}}, b}); }
static void tma_load_${rank}d_to(void *to, const tensor_map *m, ${given}, void *b, int blocks) {
  for (int r = 0; r < 16; ++r) if (blocks >> r & 1) {
    const Landing l = {*(Map *const *)m, (char *)peer(to, r), {${list}}, peer(b, r)};
    // Perhaps before that block says how many bytes come.
    if (backwards) land(l); else landings.add(l);
  }
}
static void tma_store_${rank}d(const void *from, const tensor_map *m, ${given}) {
  const int x[] = {${list}};
  if (!backwards) stored(**(Map *const *)m, x, (char *)from);
  storings.add({current, false, *(Map *const *)m, {${list}}, (char *)from});
}
`;
};

function mapText(map: TensorMap, i: number, { buffers }: DeviceText): string {
  const bytes = dtypeBytes(map.type === "tfloat32" ? "float32" : map.type);
  const slot = buffers.findIndex(({ name }) => name === map.buffer);
  const list = (values: readonly number[]) => `{${values.toReversed().join(", ")}}`;
  const strides = list([...map.strides_bytes, bytes]);
  const { im2col, element_strides: steps } = map;
  const walk = im2col ? `, true, ${list(im2col.lower)}, ${list(im2col.upper)}, ${list(steps.slice(1, -1))}` : "";
  return `  static Map map${i}; map${i} = {(char *)buffers[${slot}].p, ${map.dims.length}, ${bytes}, ${map.swizzle}, ${list(map.dims)}, ${strides}, ${list(map.box)}${walk}}; *(Map **)&maps[${i}] = &map${i};`;
}

/** Throws when the order of a block's threads changes the result, and when nobody goes on. */
export function runEngineOnHost(text: DeviceText, given: ReadonlyMap<string, TensorData>): Map<string, TensorData> {
  const printed = text.text
    .replace(
      /^static __device__ __forceinline__ void \*?(?:mbarrier_\w+|fence_async|tma_\w+|consumers_meet_\w+|\w+_meets|cluster_\w+|in_block|send_\w+)\(.*\{(?:.*\}$|[\s\S]*?^\}$)/gm,
      "",
    )
    .replace(/^ *extern __shared__ .*$/gm, "")
    .replace(/__shfl_xor_sync\(0xffffffffu, /g, "exchange(")
    .replace(/\bsend_\w+(?=\()/g, "send")
    .replace(
      /__shared__ __align__\((\d+)\) (.+) (\w+)\[(\d+)\];/g,
      (_, align, type, name, size) =>
        `static char ${name}_key; ${type} *const ${name} = (${type} *)declare(&${name}_key, ${size} * sizeof(${type}), ${align});`,
    );
  const meets = [...new Set(text.text.match(/\bconsumers_meet_\d+/g))].map(
    (name) => `static void ${name}() { meet(${name.split("_").at(-1)}); }\n`,
  );
  const engine = [1, 2, 3, 4, 5].map(engineOf).join("") + pixels;
  const kernelText = printed.replace(/^struct __align__\(64\) tensor_map .*$/m, "");
  const slots = slotsOf(text).map((of) => of.map((slot) => (slot < 0 ? `maps[${-1 - slot}]` : `buffers[${slot}]`)));
  const calls = text.kernels.map(({ name, grid, block, cluster: [together] }, i) => {
    const loop = (axis: string, extent = 1, by = 1) =>
      `for (blockIdx.${axis} = 0; blockIdx.${axis} < ${extent}; blockIdx.${axis} += ${by})`;
    const loops = `${loop("x", grid[0], together)} ${loop("y", grid[1])} ${loop("z", grid[2])}`;
    return `  kernel = [] { ${name}(${slots[i]?.join(", ")}); };\n  ${loops} runCluster(${together}, ${block.join(", ")});`;
  });
  const maps = (text.maps ?? []).map((map, i) => mapText(map, i, text));
  const main = mainText(text, ["  backwards = argc > 3;", ...maps, ...calls], "");
  const source = `${machine}${helpers}${meets.join("")}${engine}${kernelText}\n${main}`;
  return runOnHost(text, given, { "main.cpp": source }, ["c++", "-w", "-Wno-psabi"], [["backwards"]]);
}
