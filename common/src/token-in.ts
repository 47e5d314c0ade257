import { badInput } from "./farm-error.ts";

/**
 * The token in the file of --token-file: its first line. Throws INVALID_ARGUMENT, which never has the line; gRPC refuses other
 * characters in an error that has them.
 */
export function tokenIn(file: string, contents: Uint8Array): string {
  const [line = ""] = new TextDecoder().decode(contents).split("\n");
  const token = line.trim();
  if (/^[\x21-\x7e]{1,512}$/.test(token)) return token;
  throw badInput(
    `--token-file names ${JSON.stringify(file)}, whose first line is not a token: 1 to 512 printable characters without spaces`,
  );
}
