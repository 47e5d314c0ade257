/**
 * Preloaded into a process under test (--import): its wall clock jumps by hours and days, forwards and backwards, every second.
 */
const jumps = [3_600_000, -7_200_000, 86_400_000, 0, -1_000, 30_000, -86_400_000, 15_000];
let offset = 0;
let n = 0;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + offset] : args));
  }
  static now() {
    return RealDate.now() + offset;
  }
};
setInterval(() => {
  offset = jumps[n++ % jumps.length];
}, 1_000).unref();
