/** YAML of a user's file. */
import { badInput, firstLine, reviveJson } from "@warpfarm/common";

/** Throws FarmError with one sentence that says where the text is not YAML. */
export async function readYaml(what: string, text: string): Promise<unknown> {
  const { parse, YAMLParseError } = await import("yaml");
  try {
    return parse(text, (key, value) => reviveJson(String(key), value), { prettyErrors: false });
  } catch (error) {
    if (error instanceof SyntaxError) throw badInput(`${what}: ${error.message}`);
    if (!(error instanceof YAMLParseError)) throw error;
    const before = text.slice(0, error.pos[0]).split("\n");
    const remedy = error.code === "TAB_AS_INDENT" ? "; indent with spaces" : "";
    throw badInput(
      `${what} is not YAML: ${firstLine(error.message)} at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}${remedy}`,
    );
  }
}
