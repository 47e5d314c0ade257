/**
 * Where a service listens, as text: `host:port`, `[::1]:port`; and the trackers of one farm, `host:port,host:port`. What the
 * command line and the channel both check, in one place; each says in its own words what is wrong.
 */
import { err, ok, type Result } from "./result.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

const form = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;

/** Undefined for what has not the form, or a port above 65535. */
export function toAddress(text: string): Address | undefined {
  const [, six, name, digits] = form.exec(text) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: six ?? name ?? "", port } : undefined;
}

/** What is wrong with a list: the part, and its place from 1 when it is no address, else it is there a second time. */
export interface AddressFault {
  readonly part: string;
  readonly parts: number;
  readonly wrong: number | undefined;
}

/** The parts of a list without the space around them, each an address, none twice. */
export function toAddresses(text: string): Result<readonly string[], AddressFault> {
  const parts = text.split(",").map((part) => part.trim());
  const wrong = parts.findIndex((part) => toAddress(part) === undefined);
  if (wrong >= 0) return err({ part: parts[wrong] as string, parts: parts.length, wrong: wrong + 1 });
  const twice = parts.find((part, i) => parts.indexOf(part) !== i);
  return twice === undefined ? ok(parts) : err({ part: twice, parts: parts.length, wrong: undefined });
}
