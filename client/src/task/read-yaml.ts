import { FarmError } from "@warpfarm/common";

/** Throws FarmError with one sentence that says where the text is not YAML. */
export async function readYaml(what: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (error) {
    const [first = ""] = (error as Error).message.split("\n");
    const remedy = first.startsWith("Tabs are not allowed") ? "; indent with spaces" : "";
    throw new FarmError("INVALID_ARGUMENT", `${what} is not YAML: ${first.replace(/:$/, "")}${remedy}`);
  }
}
