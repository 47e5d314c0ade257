/** Lines of a spec's file, for messages that begin with a field or quote the spec. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** `vector_add.yaml:12`; undefined where the message is about nothing in the file. */
export type PlaceOf = (why: string) => string | undefined;

/** May precede the field. */
const prefix = /^the default config: /;
const field = /^[A-Za-z_]\w*(?:\.\w+|\[\d+\])*(?=[:\s])/;

/**
 * The file is parsed for the first message only: a search asks once for each config that the spec refuses. `part`: the spec's
 * field that the file holds, where it does not hold all of it.
 */
export function placesIn(text: string, file: string, part?: string): PlaceOf {
  let parsed: Parsed | undefined;
  return (why) => {
    parsed ??= parse(text);
    const [path = ""] = field.exec(why.replace(prefix, "")) ?? [];
    const [first] = /^\w+/.exec(path) ?? [];
    const inFile = part === undefined ? path : first === part ? path.slice(part.length) : "";
    const line = lineOfField(parsed, inFile) ?? lineOfQuote(text, why);
    return line === undefined ? undefined : `${file}:${line}`;
  };
}

interface Parsed {
  readonly contents: Node | null;
  readonly lines: LineCounter;
}
function parse(text: string): Parsed {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
  return { contents: contents as Node | null, lines };
}

function lineOfField({ contents, lines }: Parsed, path: string): number | undefined {
  let at = contents;
  let offset: number | undefined;
  for (const [part] of path.matchAll(/\w+/g)) {
    const found = partOf(at, part);
    if (found === undefined) break;
    at = found.value;
    offset = found.offset;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

/** A list's part is its position, or the `name` of an entry, as tensors are called. */
function partOf(node: Node | null, part: string): { readonly value: Node | null; readonly offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
    if (pair === undefined) return undefined;
    const [offset = 0] = (pair.key as Node).range ?? [];
    return { value: pair.value as Node | null, offset };
  }
  if (!isSeq(node)) return undefined;
  const item = /^\d+$/.test(part)
    ? node.items[Number(part)]
    : node.items.find((each) => isMap(each) && each.get("name") === part);
  if (item === undefined) return undefined;
  const [offset = 0] = (item as Node).range ?? [];
  return { value: item as Node, offset };
}

/** The line of the message's longest quoted text, if only one line has it. */
function lineOfQuote(text: string, why: string): number | undefined {
  const quotes = [...why.matchAll(/"((?:[^"\\]|\\.)+)"/g)].map(([, inner = ""]) => inner.replace(/\\(["\\])/g, "$1"));
  const longest = quotes.toSorted((a, b) => b.length - a.length).find((each) => text.includes(each));
  if (longest === undefined) return undefined;
  const found = text.split("\n").flatMap((line, i) => (line.includes(longest) ? [i + 1] : []));
  return found.length === 1 ? found[0] : undefined;
}
