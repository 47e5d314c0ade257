/** Faults for `npm run mutants` (scripts/mutants.mjs): `find` stands once in the package's sources and becomes `to`. */
export const faults = [
  {
    name: "torn-line",
    why: "writing goes on behind a torn line",
    find: "if (newline < 0) return done(start, ",
    to: "if (newline < 0) return done(text.length, ",
    tests: ["client/src/search/log.test.ts"],
  },
  {
    name: "bad-line",
    why: "a bad line in the middle is dropped without a word",
    find: "if (!options.skipBroken)\n",
    to: "if (options.skipBroken === true)\n",
    tests: ["client/src/search/log.test.ts"],
  },
  {
    name: "toolchain",
    why: "a recorded failure stands whatever its toolchain",
    find: "  if (!query.toolchains.has(toolchain)) return false;\n",
    to: "",
    tests: ["records/src/store/", "client/src/search/known-failures.test.ts"],
  },
];
