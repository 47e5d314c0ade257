/**
 * Writes protobuf bytes of messages that are sent by the thousand, field by field from the domain. A generated encoder needs an
 * object of the wire's names first. Unset and zero fields are left out, as in proto3.
 */
import protobuf from "protobufjs/minimal.js";

const varintKind = 0;
const blockKind = 2;

export class MessageWriter {
  #to = protobuf.Writer.create();

  /** A whole number from 0 to 2^53 - 1. */
  integer(field: number, value: number): this {
    if (value !== 0) this.#to.uint32(field * 8 + varintKind).uint64(value);
    return this;
  }
  /** Written even when it is empty, for elements of a list. */
  text(field: number, value: string): this {
    this.#to.uint32(field * 8 + blockKind).string(value);
    return this;
  }
  /** Bytes, or a message that is already encoded. */
  bytes(field: number, value: Uint8Array): this {
    this.#to.uint32(field * 8 + blockKind).bytes(value);
    return this;
  }
  message(field: number, write: (into: this) => void): this {
    this.#to.uint32(field * 8 + blockKind).fork();
    write(this);
    this.#to.ldelim();
    return this;
  }
  /** google.protobuf.Duration, written even when it is zero. */
  duration(field: number, ms: number): this {
    const nanos = Math.round(ms * 1e6);
    return this.message(field, (w) => w.integer(1, Math.floor(nanos / 1e9)).integer(2, nanos % 1e9));
  }

  /** The message; then the writer is empty. */
  finish(): Buffer {
    const message = this.#to.finish() as Buffer;
    this.reset();
    return message;
  }
  /** Empties a writer that was given up. */
  reset(): void {
    this.#to = protobuf.Writer.create();
  }
}
