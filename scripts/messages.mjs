/**
 * Nothing is decided by the words of a message, and none is taken apart: an error says in fields what somebody must know (a code,
 * a rule, `why`). `node scripts/messages.mjs` names each source that searches, compares or cuts a `message`, and ends with 1.
 * Words of others are cut to a line by firstLine, and made harmless by printable (common/src/words.ts). Tests do not count. The
 * list below only shrinks.
 */
import { parseSync, Visitor } from "vite";
import { beyond, lineAt, root, tell } from "./checks.mjs";
import { sourcesOf } from "./imports.mjs";

/** Each with its reason. */
const exceptions = {
  "client/src/cli/exit.ts": "compilers and schedules end a message with its rule, limits do not: it is said once",
  "client/src/cli/run.ts": "commander's sentences begin with `error:` and end with a point",
  // Others' errors that have no code. What is read there becomes a field.
  "proto/src/rpc/server.ts": "grpc-js tells only in words why it cannot listen",
  "records/src/store/engine-words.ts": "an engine as WebAssembly aborts with words alone",
  "tracker/src/store/pglite-session.ts": "PostgreSQL has one code for all that the system lacks",
  "tracker/src/store/postgres.ts": "the driver's own errors of connections have no code",
};

const cuts = new Set(
  "endsWith includes indexOf lastIndexOf match matchAll replace replaceAll search slice split startsWith substring trim".split(
    " ",
  ),
);
const asks = new Set(["exec", "test"]);
const wrappers = new Set([
  "ChainExpression",
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
]);

const plain = (node) => (wrappers.has(node?.type) ? plain(node.expression) : node);
const nameOf = (node) => (node?.type === "MemberExpression" ? (node.computed ? "" : node.property.name) : node?.name);
const isMessage = (node) => nameOf(plain(node)) === "message";

/** Lines of a source that take a message apart. */
export function surgeriesIn(file, text) {
  if (!text.includes("message")) return [];
  const lines = [];
  new Visitor({
    CallExpression({ callee, arguments: [first], start }) {
      const { type, object } = plain(callee);
      if (type !== "MemberExpression") return;
      const method = nameOf(plain(callee));
      if ((cuts.has(method) && isMessage(object)) || (asks.has(method) && isMessage(first))) lines.push(lineAt(text, start));
    },
  }).visit(parseSync(file, text).program);
  return lines;
}

if (process.argv[1] === import.meta.filename) {
  const words = "takes a message apart; let the error say it in a field, such as rule";
  const found = [...sourcesOf(root)].map(([file, text]) => [
    file,
    surgeriesIn(file, text).map((line) => `${file}:${line}: ${words}`),
  ]);
  tell(beyond(new Map(/** @type {[string, string[]][]} */ (found)), exceptions, "scripts/messages.mjs"));
}
