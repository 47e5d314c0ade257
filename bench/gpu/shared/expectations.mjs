/** What a GPU script wants to see: printed with what was seen; a section ends with an error when one was not met. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export class Expectations {
  #unmet = [];
  #seen = [];

  /** `seen` is what remains to be read. */
  expect(what, isMet, seen) {
    const words = typeof seen === "string" ? seen : JSON.stringify(seen);
    console.log(`${isMet ? "ok  " : "NOT "} ${what}: ${words}`);
    this.#seen.push({ what, isMet, seen });
    if (!isMet) this.#unmet.push(what);
  }
  end() {
    if (this.#unmet.length > 0) throw new Error(`not as expected: ${this.#unmet.join("; ")}`);
    return this.#seen;
  }
}

/** A process on the GPU that is nobody's child here: its parent is a shell. Resolves when it is there. */
export async function otherProcess(kind) {
  const script = fileURLToPath(new URL("../other-process.mjs", import.meta.url));
  const child = spawn("sh", ["-c", `"${process.execPath}" "${script}" ${kind}; :`], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((there, failed) => {
    child.stdout.once("data", there);
    child.once("exit", () => failed(new Error("the other process did not start")));
  });
  return {
    /** Resolves when it is gone. */
    leave: () =>
      new Promise((gone) => {
        child.once("exit", gone);
        child.stdin.end();
      }),
  };
}
