/**
 * Writes protobuf bytes of messages that are sent by the thousand, field by field from the domain. A generated encoder needs an
 * object of the wire's names first, and costs four times as much. One buffer is written over and over, and `finish` copies its
 * contents. Unset and zero fields are left out, as in proto3. https://protobuf.dev/programming-guides/encoding
 */
const varintKind = 0;
const blockKind = 2;
/** The most bytes of a tag, and of a varint below 2^53. */
const maxVarint = 8;
const maxTag = 2;

export class MessageWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #at = 0;

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
  #varint(value: number): void {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes[this.#at++] = (left % 128) | 128;
    this.#bytes[this.#at++] = left;
  }

  /** A whole number from 0 to 2^53 - 1. */
  integer(field: number, value: number): this {
    if (value === 0) return this;
    this.#room(maxTag + maxVarint);
    this.#varint(field * 8 + varintKind);
    this.#varint(value);
    return this;
  }
  /** Written even when it is empty, for elements of a list. */
  text(field: number, value: string): this {
    const length = Buffer.byteLength(value);
    this.#room(maxTag + maxVarint + length);
    this.#varint(field * 8 + blockKind);
    this.#varint(length);
    this.#at += this.#bytes.write(value, this.#at, length);
    return this;
  }
  /** Bytes, or a message that is already encoded. */
  bytes(field: number, value: Uint8Array): this {
    this.#room(maxTag + maxVarint + value.length);
    this.#varint(field * 8 + blockKind);
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }
  message(field: number, write: (into: this) => void): this {
    this.#room(maxTag + maxVarint);
    this.#varint(field * 8 + blockKind);
    const at = this.#at++;
    write(this);
    const length = this.#at - at - 1;
    if (length < 128) {
      this.#bytes[at] = length;
      return this;
    }
    // The length takes more than the one byte reserved for it.
    const size = Math.ceil((32 - Math.clz32(length)) / 7);
    this.#room(size);
    this.#bytes.copyWithin(at + size, at + 1, this.#at);
    this.#at = at;
    this.#varint(length);
    this.#at = at + size + length;
    return this;
  }
  /** google.protobuf.Duration, written even when it is zero. */
  duration(field: number, ms: number): this {
    const nanos = Math.round(ms * 1e6);
    return this.message(field, (w) => w.integer(1, Math.floor(nanos / 1e9)).integer(2, nanos % 1e9));
  }

  finish(): Buffer {
    const message = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return message;
  }
  reset(): void {
    this.#at = 0;
  }
}
