/**
 * The private key of receipts: a file that only the tracker reads, equal at all trackers of a farm. It is read anew for each
 * receipt, so a rotated one, or a Secret that Kubernetes replaces, needs no restart.
 */
import type { KeyObject } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { open, readFile, realpath, rename, rm } from "node:fs/promises";
import { badInput, fileFault } from "@warpfarm/common";
import { checkMode, newPrivateKey, privateKeyIn } from "@warpfarm/records/receipts";

const refuse = (message: string): never => {
  throw badInput(message);
};

/** Throws INVALID_ARGUMENT: it cannot be read, others can read it, or it holds no private Ed25519 key. */
export function readReceiptKey(path: string, me: number | undefined = process.getuid?.()): KeyObject {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    return refuse(`the key ${path} cannot be read: ${fileFault(error)}; warpfarm keys rotate --file makes one`);
  }
  try {
    const found = fstatSync(file);
    if (found.isDirectory())
      refuse(`the key ${path} cannot be read: it is a folder, not a file; warpfarm keys rotate --file makes one`);
    checkMode(path, found, me);
    return privateKeyIn(path, readFileSync(file, "utf8"));
  } finally {
    closeSync(file);
  }
}

function isPrivateKey(path: string, text: string): boolean {
  try {
    return privateKeyIn(path, text).type === "private";
  } catch {
    return false;
  }
}

/** Makes a key, in place of the one that the file may have. What is no key stays. */
export async function rotateReceiptKey(path: string): Promise<KeyObject> {
  const there = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : refuse(`the key ${path} cannot be read: ${fileFault(error)}`),
  );
  if (there !== undefined && !isPrivateKey(path, there))
    refuse(`${path} holds no private Ed25519 key, and is not replaced by one; name another file`);
  // A symbolic link stays; the file that it names is replaced.
  const target = await realpath(path).catch(() => path);
  const beside = `${target}.new`;
  const file = await open(beside, "wx", 0o600).catch((error: NodeJS.ErrnoException) =>
    refuse(
      error.code === "EEXIST"
        ? `${beside} exists: another process is making a key; remove it if none is`
        : `${beside} cannot be written: ${fileFault(error)}`,
    ),
  );
  try {
    const pem = newPrivateKey();
    await file.chmod(0o600);
    await file.writeFile(pem);
    await file.sync();
    await file.close();
    await rename(beside, target);
    return privateKeyIn(target, pem);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(beside, { force: true });
    throw error;
  }
}
