/** Faults of the operators, which their own tests notice: a name, what is wrong, the text and what it becomes. */
const ofOperators = (tests, list) =>
  list.map(([name, why, find, to]) => ({ name: `op-${name}`, why, find, to, tests: [`compiler/src/te/ops/${tests}`] }));
export const faults = [
  ...ofOperators("convolution", [
    [
      "window-stride",
      "stride and dilation are exchanged",
      "mul(i, stride), mul(k, dilation)",
      "mul(i, dilation), mul(k, stride)",
    ],
    ["window-room", "a window as large as its room is refused", "room < reach)", "room <= reach)"],
    ["border-after", "a border that is after the data alone is not skipped", "before + after > 0);", "before > 0);"],
    [
      "transposed-stride",
      "each dimension has the first one's stride",
      "floorMod(i, spread.stride)",
      "floorMod(i, spreads[0]?.stride ?? 1)",
    ],
    [
      "transposed-dilation",
      "each dimension has the first one's dilation",
      "[turn, added] = [dilation *",
      "[turn, added] = [(given[0]?.dilation ?? 1) *",
    ],
    ["transposed-nothing", "a padding that leaves nothing is accepted", "if (whole <= turn)", "if (whole < turn)"],
    [
      "mean-stride",
      "elements are counted by the first dimension's stride",
      "mul(index[d + first] as Expr, stride)",
      "mul(index[d + first] as Expr, reaches[0]?.stride ?? 1)",
    ],
    [
      "pool-dilation",
      "as large a border as a dilated window may have is refused",
      "Math.ceil(Math.max(0, -start) / dilation)",
      "Math.max(0, -start)",
    ],
  ]),
  ...ofOperators("layouts", [
    ["taps-first", "the sum goes over channels first", '{ H: "ry", W: "rx", I: "rc" }', '{ I: "rc", H: "ry", W: "rx" }'],
    [
      "tiles-last",
      "the sum goes over a tile's channels first",
      '{ I: "ic", H: "kh", W: "kw", i: "ii" }',
      '{ i: "ii", I: "ic", H: "kh", W: "kw" }',
    ],
    [
      "repeated-first",
      "the first operand is not repeated",
      "const extent = Math.max(...extents);",
      "const extent = extents[0] as number;",
    ],
    ["quotient", "quotients of uint8 are those of floats", ' || x.dtype === "uint8" ? floorDiv(x, y)', " ? floorDiv(x, y)"],
  ]),
  ...ofOperators("ops", [
    [
      "matmul-cast",
      "operands are cast after their product",
      "mul(cast(outDtype, left), cast(outDtype, right))",
      "cast(outDtype, mul(left, right))",
    ],
    [
      "matmul-sums",
      "a longer A is let through",
      "if (l !== lOfB) refuse(`${name}: layout",
      "if (l < lOfB) refuse(`${name}: layout",
    ],
    ["pad-one-side", "a border after the data alone repeats nothing", "before[d] !== 0 || after[d] !== 0", "before[d] !== 0"],
    [
      "pad-edge",
      "a border is mirrored that is as wide as the data",
      '"reflect" ? extent - 1 : extent',
      '"reflect" ? extent : extent',
    ],
  ]),
  ...ofOperators("normalize", [
    ["gelu-cube", "the square stands for the cube", "mul(mul(mul(x, x), x), 0.044715)", "mul(mul(x, x), 0.044715)"],
    ["hard-sigmoid", "its middle is at another place", "relu6(add(x, 3))", "relu6(add(x, 2.5))"],
    [
      "log-softmax",
      "the logarithm of a quotient that is 0",
      "sub(sub(a as Expr, m as Expr), log(s as Expr))",
      "log(div(exp(sub(a as Expr, m as Expr)), s as Expr))",
    ],
    ["bias-alone", "a bias without a scale is left out", "return bias ? add", "return bias && scale ? add"],
    ["group-epsilon", "a group norm has the default epsilon", "_normal`, epsilon }", "_normal` }"],
    ["sum-order", "a sum goes over dimensions as they were named", "over.sort((a, b) => a - b);", ""],
    [
      "drops",
      "the greatest element's place keeps its dimension",
      "reduced(x, [d], { name, drops }, minOf",
      "reduced(x, [d], { name }, minOf",
    ],
    ["place-of-nan", "where all is NaN the place is none", "(x.shape[d] ?? 1) - 1)", "x.shape[d] ?? 1)"],
  ]),
  ...ofOperators("shapes", [
    ["batch-rank", "the result has a's batches alone", "Math.max(a.shape.length, b.shape.length) - 2", "a.shape.length - 2"],
    ["weights-rounded", "attention's weights keep the type of the sums", "(x) => cast(v.dtype, x as Expr)", "(x) => x as Expr"],
    ["zero-rounded", "the zero is added before rounding", "add(round(x), zero)", "round(add(x, zero))"],
    ["requantized-type", "sums become int8 whatever is asked for", "f as Expr), zero, dtype)", 'f as Expr), zero, "int8")'],
    [
      "resize-kept",
      "as many elements are the same ones, whatever the step",
      "size === x.shape[d] && over === under",
      "size === x.shape[d]",
    ],
    [
      "resize-beyond",
      "a place beyond the last element is read",
      "const low = minimum(floorDiv(found.numerator, found.under), last);",
      "const low = floorDiv(found.numerator, found.under);",
    ],
    ["slice-begin", "a slice may begin before the data", "begin >= 0 && begin < extent", "begin < extent"],
    ["gather-dimension", "a gather picks columns", 'name = "gathered", dimension = 0', 'name = "gathered", dimension = 1'],
  ]),
];
