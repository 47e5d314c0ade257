/**
 * Texts of a record that its table's columns hold. An entry of an index has at most 2,704 bytes, a character has up to three, and
 * an index names a task, a problem and a kind of device at once. Whoever accepts a record, or what will be in one, checks here,
 * so that it can be written.
 */
import { badInput, whyNoName } from "@warpfarm/common";

const longest = {
  "origin.format": 100,
  task: 400,
  template: 400,
  target: 200,
  "device.key": 100,
  "device.name": 256,
  session: 200,
} as const;
type IndexedText = keyof typeof longest;

/** `field`: its name in a message. Throws INVALID_ARGUMENT. */
export function indexedText(name: IndexedText, text: string, field: string = name): string {
  const most = longest[name];
  if (text.length > most) throw badInput(`${field} is ${text.length} characters; allowed: at most ${most}`);
  const why = whyNoName(text);
  if (why !== undefined) throw badInput(`${field} is text with ${why}; allowed: one line of whole characters`);
  return text;
}
