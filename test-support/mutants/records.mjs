/** Faults for `npm run mutants` (scripts/mutants.mjs): `find` stands once in the package's sources and becomes `to`. */
export const faults = [
  {
    name: "torn-line",
    why: "writing goes on behind a torn line",
    find: "return { records, notes, warnings: [...oldRows(old, name), ...warnings], end: start };",
    to: "return { records, notes, warnings: [...oldRows(old, name), ...warnings], end: text.length };",
    tests: ["client/src/record/"],
  },
  {
    name: "bad-line",
    why: "a bad line in the middle is dropped without a word",
    find: "if (newline >= 0) throw new FarmError",
    to: "if (newline < 0) throw new FarmError",
    tests: ["client/src/record/"],
  },
  {
    name: "toolchain",
    why: "a recorded failure stands whatever its toolchain",
    find: "  if (!query.toolchains.has(toolchain)) return false;\n",
    to: "",
    tests: ["records/src/store/", "client/src/cli/tuning/known-failures.test.ts"],
  },
];
