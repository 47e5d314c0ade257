/** What expressions mean and what is refused. python.test.ts compares with Python itself. */
import { describe, expect, it } from "vitest";
import { plain } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";

const evaluated = (text: string): unknown => {
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed.error;
  const { value } = parsed;
  if (value.kind === "value" && typeof value.value === "bigint") return `bigint ${value.value}`;
  return value.kind === "value" ? plain(value.value) : value.kind === "fault" ? value.fault.message : "open";
};

describe("expressions", () => {
  // Expected values are Python 3's.
  it.each([
    ["1 + 2 * 3 ** 2", 19],
    ["-2 ** 2", -4],
    ["2 ** -1", 0.5],
    ["7 // 2 * 2 == 6", true],
    ["-7 // 2", -4],
    ["-7 % 3", 2],
    ["7 % -3", -2],
    ["1 < 2 < 3", true],
    ["1 < 3 < 2", false],
    ["not 0 and 1 != 2", true],
    ["not not 3", true],
    ["3 in [1, 2, 3] and 4 not in (1, 2)", true],
    ["[2**i for i in range(0, 6)]", [1, 2, 4, 8, 16, 32]],
    ["[1, 2] + list(range(32, 97, 32))", [1, 2, 32, 64, 96]],
    ["[i for i in range(6) if i % 2 == 0 if i > 0]", [2, 4]],
    ["max(3, 4) * min([5, 2]) + abs(-1)", 9],
    ["'a' == \"a\" && !(1 > 2) || false", true],
    ["!3 == 0", true],
    ["[5, 6, 7][-1]", 7],
    ["True + 1", 2],
    ["1 if 2 > 1 else 3", 1],
    ["1 if 0 else 2 if 0 else 3", 3],
    ["[i if i % 2 == 1 else -i for i in range(4) if i != 2]", [0, 1, 3]],
    ["max(1, 5 if False else 4) + (1 or 2 if 0 else 3)", 7],
    ["2**63 + (2**63 - 1)", "bigint 18446744073709551615"],
    ["-2**63", "bigint -9223372036854775808"],
    ["9007199254740993 % 10", 3],
    ["0xff & 0b1100 | 0o1", 13],
    ["len({1, 1.0, True, 2})", 2],
    ["all(x % 8 == 0 for x in (8, 16)) and any(x > 15 for x in {8, 16})", true],
    ["sum([i for i in range(5)], 0.5)", 10.5],
    ["math.ceil(7 / 2) + floor(-0.5) + round(2.5)", 5],
    ["0 and 1 // 0", 0],
    ["'\\x41\\u00e9\\n' == 'A\u00e9\\n'", true],
    [`${" ".repeat(9_999)}1`, 1],
  ])("%s is %j", (text, expected) => expect(evaluated(text)).toEqual(expected));

  it.each([
    [`${" ".repeat(10_000)}1`, /an expression of 10001 characters; at most 10000/],
    ["a +", /end where a value should be in "a \+"/],
    ["a = 1", /assignments, are not part of this language; to compare write ==/],
    ["a # b", /"#" at 2 is not part of an expression/],
    ["__import__('os')", /there is no function __import__; there are min, max, sum/],
    ["(1", /end where "\)" should be/],
    ["1 2", /unexpected 2/],
    ["1 if 2", /end where "else" should be/],
    [`${"(".repeat(200)}1${")".repeat(200)}`, /nested deeper than 100/],
    [`${"not ".repeat(200)}1`, /nested deeper than 100/],
    [`${"-".repeat(200)}1`, /nested deeper than 100/],
    [`${"2**".repeat(200)}1`, /nested deeper than 100/],
    ["list(range(1000000000))", /more than 10000 steps/],
    ["[0] * 10001", /more than 10000 steps/],
    ["'ab' * 5001", /more than 10000 steps/],
    ["sum(sum(x * y for x in range(100)) for y in range(100))", /more than 10000 steps/],
    ["2 ** 64", /integer of more than 64 bits; integers go from -2\^63 to 2\^64 - 1/],
    ["-(2 ** 63) - 1", /integer of more than 64 bits/],
    ["18446744073709551616", /integer of more than 64 bits/],
    ["1 << 64", /integer of more than 64 bits/],
    ["1 // 0", /divides by zero/],
    ["1 < 'a'", /compares the order of int and str/],
    ["'3' + 4", /computes str \+ int/],
    ["int('3')", /takes int\(\) of a str/],
    ["[1][1]", /takes item 1 of 1/],
    ["'%d' % 3", /formats a text/],
    ["a is 3", /write ==/],
    ["lambda: 3", /lambda is not part/],
    ["x[1:2]", /slices/],
    ["{}", /dictionaries/],
    ["'a'.upper()", /attributes and methods/],
    ["f'{a}'", /texts with a letter before them/],
    ["'a' 'b'", /two texts beside each other/],
    ["(x for x in [1])", /a generator stands alone/],
    ["len(x for x in [1])", /a generator stands alone/],
    ["[x for x in {1, 2}]", /a set in an order/],
    ["[a for a in [1] for b in [2]]", /one `for`/],
    ["round()", /round\(\) takes 1 arguments, and here are 0/],
    ["010", /begins with 0/],
    ["1 == not 2", /where a value should be/],
    ["[[1]] == {[1]}", /asks a set for a list/],
  ])("%s is refused", (text, message) => expect(evaluated(text)).toMatch(message));
});
