/** `node neighbour.mjs ORDINAL SECONDS`: a process that uses a GPU as a serving one does. It writes memory without a pause. */
import koffi from "koffi";

const [ordinal, seconds] = process.argv.slice(2).map(Number);
const cuda = koffi.load("libcuda.so.1");
const call = (definition, ...args) => {
  const code = cuda.func(`int ${definition}`)(...args);
  if (code !== 0) throw new Error(`${definition}: ${code}`);
};
const out = () => new BigUint64Array(new ArrayBuffer(8));
const bytes = 1 << 28;
const [device, context, memory] = [new Int32Array(new ArrayBuffer(4)), out(), out()];
call("cuInit(uint flags)", 0);
call("cuDeviceGet(void *device, int ordinal)", device, ordinal);
call("cuDevicePrimaryCtxRetain(void *context, int device)", context, device[0]);
call("cuCtxSetCurrent(uint64_t context)", context[0]);
call("cuMemAlloc_v2(void *pointer, size_t bytes)", memory, bytes);
const write = cuda.func("int cuMemsetD8_v2(uint64_t pointer, uchar value, size_t bytes)");
const wait = cuda.func("int cuCtxSynchronize()");
for (const end = performance.now() + seconds * 1000; performance.now() < end; wait()) write(memory[0], 1, bytes);
