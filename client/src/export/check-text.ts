/**
 * The parts of a self-test, in C that is also C++: inputs from Philox as a runner fills them (common/src/philox.ts, fill.ts), and
 * a comparison of every element. Needs only the C library's headers.
 */
import { type BlobFill, type DType, type Fill, fillFor, inputSeed, type ManifestBuffer } from "@warpfarm/common";
import { tensorFile } from "./attached.ts";
import { toleranceOf } from "./layout.ts";
import type { ExportUnit } from "./unit.ts";

/** The numbers of a fill, as the table has them. */
function numbersOf(fill: Fill | BlobFill): readonly [string, string] {
  switch (fill.kind) {
    case "range":
      return [fill.from, fill.to];
    case "normal":
      return [fill.mean, fill.deviation];
    case "constant":
      return [fill.value, fill.value];
    case "permutation":
    case "blob":
      return ["0", "0"];
  }
}

/** One line in the table of tensors: buffer number `number` of the kernel's manifest. */
export function tensorLine(unit: ExportUnit, buffer: ManifestBuffer, number: number): string {
  const { name, dtype, shape, role, bytes } = buffer;
  const fill = fillFor(dtype, buffer.fill, "full");
  const count = shape.reduce((n, extent) => n * extent, 1);
  const kind = fill === undefined ? "SEEDED" : fill === "zeros" ? "ZEROS" : fill.kind.toUpperCase();
  const [from, to] = typeof fill === "object" ? numbersOf(fill) : ["0", "0"];
  const file = tensorFile(buffer);
  const { atol, rtol } = toleranceOf(unit, buffer);
  const row = shape.at(-1) ?? 1;
  return `  {"${name}", ${dtype.toUpperCase()}, ${kind}, ${number}, ${role === "in" ? 0 : 1}, ${role === "out" ? 0 : 1}, (size_t)${count}, (size_t)${bytes}, ${row}, ${from}, ${to}, ${atol}, ${rtol}, ${file === undefined ? "0" : `"${file}"`}},\n`;
}

const dtypes: readonly DType[] = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "float8_e4m3fn",
  "float8_e5m2",
  "int8",
  "uint8",
  "int32",
  "int64",
  "int4",
  "int1",
  "bool",
];

export const checkText = `#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ${dtypes.map((dtype) => dtype.toUpperCase()).join(", ")} };
enum { SEEDED, ZEROS, RANGE, PERMUTATION, CONSTANT, NORMAL, BLOB };
typedef struct {
  const char *name;
  int type, fill, number, is_output, is_input;
  size_t count, bytes;
  long long row;
  double from, to, atol, rtol;
  const char *file; /* of its elements; or 0 */
} Tensor;

/* Where files of tensors lie. */
#ifndef TENSORS
#define TENSORS "."
#endif

/* Philox4x32-10; out has four words. */
static void philox(unsigned c0, unsigned c1, unsigned c2, unsigned c3, unsigned *out) {
  unsigned k0 = ${inputSeed}u, k1 = 0;
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ULL * c0, b = 0xcd9e8d57ULL * c2;
    c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
    c1 = (unsigned)b;
    c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
    c3 = (unsigned)a;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

static unsigned mixed(unsigned h) {
  h = (h ^ (h >> 16)) * 0x7feb352du;
  h = (h ^ (h >> 15)) * 0x846ca68bu;
  return h ^ (h >> 16);
}

/* Where a permutation of 0 .. n-1 takes \`at\`: a Feistel network of four rounds, walked until it is inside. */
static long long permuted(long long at, long long n, const unsigned *keys) {
  int half = 1;
  while (((long long)1 << 2 * half) < n) half++;
  do {
    unsigned left = (unsigned)(at >> half), right = (unsigned)(at & (((long long)1 << half) - 1));
    for (int round = 0; round < 4; ++round) {
      const unsigned next = (left ^ mixed(right ^ keys[round])) & (unsigned)(((long long)1 << half) - 1);
      left = right, right = next;
    }
    at = ((long long)left << half) + right;
  } while (at >= n);
  return at;
}

/* Nearest, ties to even: a float's bits to those of a type with \`mantissa\` bits and exponents from \`least\` on. */
static unsigned short to_half(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  const unsigned sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return (unsigned short)(sign | 0x7e00u);
  if (size >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (size < 0x38800000u) return (unsigned short)(sign | (unsigned)nearbyintf(fabsf(x) * 16777216.0f));
  return (unsigned short)(sign | ((size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13));
}
static float from_half(unsigned short h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  const float x = exponent == 31 ? (mantissa ? NAN : INFINITY) : exponent ? ldexpf((float)(mantissa + 1024), exponent - 25) : ldexpf((float)mantissa, -24);
  return h & 0x8000 ? -x : x;
}
static unsigned short to_bfloat16(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
static float from_bfloat16(unsigned short h) {
  const unsigned bits = (unsigned)h << 16;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

/* Of 8 bits: nearest, ties to even, the greatest for what is beyond. */
static unsigned char to_float8(double x, int fraction, int bias, double most) {
  if (x != x) return 0x7f;
  const double m = fmin(fabs(x), most);
  int exponent;
  frexp(m, &exponent);
  exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
  const int steps = (int)nearbyint(ldexp(m, fraction - exponent));
  return (unsigned char)((signbit(x) ? 0x80 : 0) | (m == 0 ? 0 : ((exponent + bias - 1) << fraction) + steps));
}
static double from_float8(unsigned char x, int fraction, int bias, int beyond) {
  const int size = x & 0x7f, exponent = size >> fraction, rest = size & ((1 << fraction) - 1);
  const double m = size < beyond     ? exponent ? ldexp((1 << fraction) + rest, exponent - bias - fraction) : ldexp(rest, 1 - bias - fraction)
                   : size == 0x7c ? INFINITY
                                  : NAN;
  return x & 0x80 ? -m : m;
}

static double element(const Tensor *t, const void *data, size_t i) {
  const unsigned *words = (const unsigned *)data;
  switch (t->type) {
    case FLOAT16: return from_half(((const unsigned short *)data)[i]);
    case BFLOAT16: return from_bfloat16(((const unsigned short *)data)[i]);
    case FLOAT32: return ((const float *)data)[i];
    case FLOAT64: return ((const double *)data)[i];
    case FLOAT8_E4M3FN: return from_float8(((const unsigned char *)data)[i], 3, 7, 0x7f);
    case FLOAT8_E5M2: return from_float8(((const unsigned char *)data)[i], 2, 15, 0x7c);
    case INT8: return ((const signed char *)data)[i];
    case INT32: return ((const int *)data)[i];
    case INT64: return (double)((const long long *)data)[i];
    case INT4: return (int)(words[i >> 3] << (i & 7) * 4) >> 28;
    case INT1: return words[i >> 5] >> (31 - (i & 31)) & 1;
    default: return ((const unsigned char *)data)[i];
  }
}

static void set_element(const Tensor *t, void *data, size_t i, double x) {
  unsigned *words = (unsigned *)data;
  switch (t->type) {
    case FLOAT16: ((unsigned short *)data)[i] = to_half((float)x); break;
    case BFLOAT16: ((unsigned short *)data)[i] = to_bfloat16((float)x); break;
    case FLOAT32: ((float *)data)[i] = (float)x; break;
    case FLOAT64: ((double *)data)[i] = x; break;
    case FLOAT8_E4M3FN: ((unsigned char *)data)[i] = to_float8(x, 3, 7, 448); break;
    case FLOAT8_E5M2: ((unsigned char *)data)[i] = to_float8(x, 2, 15, 57344); break;
    case INT8: ((signed char *)data)[i] = (signed char)x; break;
    case INT32: ((int *)data)[i] = (int)x; break;
    case INT64: ((long long *)data)[i] = (long long)x; break;
    case INT4: words[i >> 3] |= ((unsigned)(int)x & 15u) << (28 - (i & 7) * 4); break;
    case INT1: words[i >> 5] |= ((unsigned)(int)x & 1u) << (31 - (i & 31)); break;
    default: ((unsigned char *)data)[i] = (unsigned char)x;
  }
}

/* log((bits + 0.5) / 2^32), for small bits. */
static double tail_log(unsigned bits) {
  int exponent;
  double mantissa = 2 * frexp(2.0 * bits + 1, &exponent), s, s2;
  exponent -= 34;
  if (mantissa > 1.4142135623730951) mantissa /= 2, exponent++;
  s = (mantissa - 1) / (mantissa + 1), s2 = s * s;
  return exponent * 0.6931471805599453 + 2 * s * (1 + s2 * (1 / 3.0 + s2 * (1 / 5.0 + s2 * (1 / 7.0 + s2 / 9))));
}
/* The inverse of the normal distribution: algorithm AS 241, PPND7 (Wichura 1988). */
static double normal(unsigned bits) {
  const double q = (bits + 0.5) / 4294967296.0 - 0.5;
  double r, size;
  if (fabs(q) <= 0.425) {
    r = 0.180625 - q * q;
    return (q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)) /
           (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  r = sqrt(-tail_log(q < 0 ? bits : ~bits)) - 1.6;
  size = (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) / ((0.12021132975 * r + 0.7370016425) * r + 1);
  return q < 0 ? -size : size;
}

static double input_value(const Tensor *t, size_t i) {
  const int is_float = t->type <= FLOAT8_E5M2;
  unsigned words[4];
  if (t->fill == CONSTANT) return t->from;
  if (t->fill == PERMUTATION) {
    const unsigned long long row = i / (unsigned long long)t->row;
    philox((unsigned)row, (unsigned)(row >> 32), (unsigned)t->number, 1, words);
    return (double)permuted((long long)(i % (unsigned long long)t->row), t->row, words);
  }
  philox((unsigned)i, (unsigned)((unsigned long long)i >> 32), (unsigned)t->number, 0, words);
  if (t->fill == RANGE && is_float) return t->from + (t->to - t->from) * (((words[0] >> 8) + 0.5) / 16777216.0);
  if (t->fill == RANGE) return t->from + (double)((unsigned long long)(t->to - t->from + 1) * words[0] >> 32);
  if (t->fill == NORMAL) return t->from + t->to * normal(words[0]);
  if (t->type == UINT8) return words[0] >> 24;
  if (t->type == INT4) return (int)(words[0] >> 28) - 8;
  if (t->type == INT1 || t->type == BOOL) return words[0] >> 31;
  return (int)(words[0] >> 24) - 128;
}

/* The whole file of raw elements; the file must have exactly bytes bytes. */
static void load(const char *name, void *data, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", TENSORS, name);
  FILE *file = fopen(path, "rb");
  if (!file || fread(data, 1, bytes, file) != bytes || fgetc(file) != EOF) {
    fprintf(stderr, "%s cannot be read, or does not have %zu bytes; run the test in the folder of the export\\n", path, bytes);
    exit(2);
  }
  fclose(file);
}

/* An input's content; of an output alone, bytes that are a wrong answer everywhere. */
static void fill(const Tensor *t, void *data) {
  memset(data, t->is_input ? 0 : 0xff, t->bytes);
  if (t->is_input && t->file)
    load(t->file, data, t->bytes);
  else if (t->is_input && t->fill != ZEROS)
    for (size_t i = 0; i < t->count; ++i) set_element(t, data, i, input_value(t, i));
}

/* Says how an output compares; returns how many elements are wrong. */
static size_t compare(const char *kernel, const Tensor *t, const void *got, const void *expected) {
  size_t wrong = 0, worst = 0;
  double most = -1, sum = 0;
  for (size_t i = 0; i < t->count; ++i) {
    const double x = element(t, got, i), ref = element(t, expected, i);
    const double error = x == ref ? 0 : fabs(x - ref);
    sum += x;
    if (!(error <= t->atol + t->rtol * fabs(ref))) wrong++;
    if (!(error <= most)) most = error, worst = i;
  }
  printf("%s: %s %s: %zu of %zu elements beyond |x - ref| <= %g + %g |ref|; largest difference %g at %zu (%.9g, reference %.9g); sum %.9g\\n",
         kernel, t->name, wrong ? "DIFFERS" : "agrees", wrong, t->count, t->atol, t->rtol, most, worst, element(t, got, worst),
         element(t, expected, worst), sum);
  return wrong;
}

/* Writes FOLDER/NAME.bin. */
static int write_tensor(const char *folder, const Tensor *t, const void *data) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.bin", folder, t->name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, t->bytes, file) != t->bytes || fclose(file)) {
    fprintf(stderr, "cannot write %s\\n", path);
    return 1;
  }
  return 0;
}
`;
