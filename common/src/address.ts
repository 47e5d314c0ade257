/** Addresses as text: `host:port` or `[::1]:port` for one service, `host:port,host:port` for the trackers of one farm. */
import { err, ok, type Result } from "./result.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

const form = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;

/** Undefined for text of another form, or for a port above 65535. */
export function toAddress(text: string): Address | undefined {
  const [, six, name, digits] = form.exec(text) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: six ?? name ?? "", port } : undefined;
}

/** The fault of a list of addresses. With a place (from 1) the part is not an address; without one the part occurs twice. */
interface AddressFault {
  readonly part: string;
  readonly parts: number;
  readonly wrong: number | undefined;
}

/** The parts of a list without the space around them. Each is an address, and none occurs twice. */
export function toAddresses(text: string): Result<readonly string[], AddressFault> {
  const parts = text.split(",").map((part) => part.trim());
  const wrong = parts.findIndex((part) => toAddress(part) === undefined);
  if (wrong >= 0) return err({ part: parts[wrong] as string, parts: parts.length, wrong: wrong + 1 });
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  return twice === undefined ? ok(parts) : err({ part: twice, parts: parts.length, wrong: undefined });
}
