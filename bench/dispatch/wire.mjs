/**
 * The client side of gRPC, reduced to what a load needs: one HTTP/2 connection on a socket, headers without compression, messages
 * as bytes. It observes the peer's flow control and answers its pings and settings. Received headers are not parsed: a stream
 * that the server ends is over, and a caller that expected more treats that as an error. RFC 9113, RFC 7541 (only literals), gRPC
 * over HTTP/2.
 */
import { connect } from "node:net";

const frame = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8 };
const flag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 };
const setting = { headerTableSize: 1, enablePush: 2, initialWindow: 4, maxFrame: 5 };
const firstWindow = 65_535;
const ourWindow = 2 ** 30;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frameOf(type, flags, stream, payload) {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}
const settingsOf = (pairs) => {
  const bytes = Buffer.alloc(6 * pairs.length);
  for (const [i, [id, value]] of pairs.entries()) bytes.writeUInt32BE(value, bytes.writeUInt16BE(id, 6 * i));
  return bytes;
};
const uint32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A header field that is not indexed, with name and value shorter than 127 bytes. */
/** @type {(field: string[]) => Buffer} */
const literal = ([name, value]) =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
const headersOf = (authority, path) =>
  Buffer.concat(
    [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", path],
      [":authority", authority],
      ["te", "trailers"],
      ["content-type", "application/grpc"],
      ["user-agent", "warpfarm-load"],
    ].map(literal),
  );

function dataFrame(stream, message) {
  const bytes = Buffer.allocUnsafe(14 + message.length);
  bytes.writeUIntBE(5 + message.length, 0, 3);
  bytes[3] = frame.data;
  bytes[4] = 0;
  bytes.writeUInt32BE(stream, 5);
  bytes[9] = 0;
  bytes.writeUInt32BE(message.length, 10);
  bytes.set(message, 14);
  return bytes;
}

export class WireConnection {
  #authority;
  #socket;
  #next = 1;
  #streams = new Map();
  /** What may be sent, and frames that wait for room. */
  #window = firstWindow;
  #streamWindow = firstWindow;
  #waiting = [];
  #out = [];
  #rest = Buffer.alloc(0);
  #onLost;

  /** `onLost` is called when the connection ends, whichever side ends it. */
  constructor(address, onLost) {
    const at = address.lastIndexOf(":");
    this.#authority = address;
    this.#onLost = onLost;
    this.#socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)), noDelay: true });
    this.#socket.on("data", (chunk) => this.#read(chunk));
    this.#socket.on("error", (error) => this.lost(error));
    this.#socket.on("close", () => this.lost(new Error("the connection ended")));
    this.#send(preface);
    this.#send(frameOf(frame.settings, 0, 0, settingsOf([[setting.headerTableSize, 0], [setting.enablePush, 0], [setting.initialWindow, ourWindow]]))); // biome-ignore format: one line
    this.#send(frameOf(frame.window, 0, 0, uint32(ourWindow - firstWindow)));
  }

  /** Starts a call; `onMessage` gets the bytes of each message, `onEnd` is called when the server ends it. */
  open(path, onMessage, onEnd) {
    const id = this.#next;
    this.#next += 2;
    this.#streams.set(id, { onMessage, onEnd, rest: undefined, window: this.#streamWindow });
    this.#send(frameOf(frame.headers, flag.endHeaders, id, headersOf(this.#authority, path)));
    return id;
  }
  send(id, message) {
    this.#sendData(id, dataFrame(id, message));
  }
  end(id) {
    this.#sendData(id, frameOf(frame.data, flag.endStream, id, Buffer.alloc(0)));
  }
  unary(path, message) {
    return new Promise((resolve, reject) => {
      const id = this.open(path, resolve, () => reject(new Error(`${path} was refused`)));
      this.send(id, message);
      this.end(id);
    });
  }
  lost(error) {
    this.#onLost(error);
  }
  close() {
    this.#onLost = () => {};
    this.#socket.destroy();
  }

  #send(bytes) {
    if (this.#out.push(bytes) === 1) setImmediate(() => this.#flush());
  }
  #flush() {
    const out = this.#out;
    this.#out = [];
    if (!this.#socket.destroyed) this.#socket.write(out.length === 1 ? out[0] : Buffer.concat(out));
  }
  #sendData(id, bytes) {
    const size = bytes.length - 9;
    const stream = this.#streams.get(id);
    if (this.#waiting.length > 0 || this.#window < size || stream.window < size) this.#waiting.push([id, bytes]);
    else {
      this.#window -= size;
      stream.window -= size;
      this.#send(bytes);
    }
  }
  #sendWaiting() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [id, bytes] of waiting) if (this.#streams.has(id)) this.#sendData(id, bytes);
  }

  #read(chunk) {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= 9) {
      const length = bytes.readUIntBE(0, 3);
      if (bytes.length < 9 + length) break;
      this.#frame(bytes[3], bytes[4], bytes.readUInt32BE(5), bytes.subarray(9, 9 + length));
      bytes = bytes.subarray(9 + length);
    }
    this.#rest = bytes;
  }

  #frame(type, flags, id, payload) {
    if (type === frame.data) {
      if (flags & flag.padded) throw new Error("a padded frame");
      this.#data(id, payload);
      if (flags & flag.endStream) this.#ended(id);
    } else if (type === frame.headers) {
      if (flags & flag.endStream) this.#ended(id);
    } else if (type === frame.reset) this.#ended(id);
    else if (type === frame.settings) {
      if (flags & flag.ack) return;
      for (let at = 0; at < payload.length; at += 6)
        if (payload.readUInt16BE(at) === setting.initialWindow) this.#resize(payload.readUInt32BE(at + 2));
      this.#send(frameOf(frame.settings, flag.ack, 0, Buffer.alloc(0)));
    } else if (type === frame.ping) {
      if (!(flags & flag.ack)) this.#send(frameOf(frame.ping, flag.ack, 0, payload));
    } else if (type === frame.goAway) this.lost(new Error("the server is going away"));
    else if (type === frame.window) {
      const more = payload.readUInt32BE(0);
      const stream = this.#streams.get(id);
      if (id === 0) this.#window += more;
      else if (stream) stream.window += more;
      this.#sendWaiting();
    }
  }
  #resize(size) {
    for (const stream of this.#streams.values()) stream.window += size - this.#streamWindow;
    this.#streamWindow = size;
  }
  #data(id, payload) {
    const stream = this.#streams.get(id);
    if (!stream) return;
    let bytes = stream.rest ? Buffer.concat([stream.rest, payload]) : payload;
    while (bytes.length >= 5) {
      const length = bytes.readUInt32BE(1);
      if (bytes.length < 5 + length) break;
      stream.onMessage(bytes.subarray(5, 5 + length));
      bytes = bytes.subarray(5 + length);
    }
    stream.rest = bytes.length > 0 ? bytes : undefined;
  }
  #ended(id) {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.onEnd();
  }
}
