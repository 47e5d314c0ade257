// For a process of npm: what it gzips is stored, not compressed. The archive is a gzip file like any other.
import zlib from "node:zlib";

const { Gzip } = zlib;
zlib.Gzip = class extends Gzip {
  constructor(options) {
    super({ ...options, level: 0 });
  }
};
