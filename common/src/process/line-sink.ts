/**
 * Writes a service's log lines to a file descriptor that another process reads. Writing never blocks the process. When the reader
 * is gone, only the log ends.
 */
import { write, writeSync } from "node:fs";

/** Milliseconds between tries when the pipe is full. */
const retryMs = 100;
const triesAtExit = 10;

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EAGAIN";

export class LineSink {
  readonly #fd: number;
  #waiting: string[] = [];
  #isWriting = false;
  #isOver = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#isOver) return;
    this.#waiting.push(line);
    if (!this.#isWriting) this.#next();
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#put(bytes);
  }

  #put(bytes: Buffer): void {
    this.#isWriting = true;
    write(this.#fd, bytes, (error, written) => {
      const rest = error ? bytes : bytes.subarray(written);
      if (error && !isFull(error)) {
        this.#isOver = true;
        this.#waiting = [];
      } else if (error) setTimeout(() => this.#put(rest), retryMs).unref();
      else if (rest.length > 0) this.#put(rest);
      else {
        this.#isWriting = false;
        this.#next();
      }
    });
  }

  /** Writes waiting lines before it returns, as far as the reader takes them. */
  flushSync(): void {
    let bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    for (let tries = 0; bytes.length > 0 && !this.#isOver; ) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes));
      } catch (error) {
        if (!isFull(error) || ++tries > triesAtExit) this.#isOver = true;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  }
}

/** Standard error. Waiting lines are written when the process exits. */
export function logSink(): LineSink {
  const sink = new LineSink(2);
  process.once("exit", () => sink.flushSync());
  return sink;
}
