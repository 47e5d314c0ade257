import base from "./vitest.config.ts";
const b = base as any;
export default { ...b, test: { ...b.test, setupFiles: [...b.test.setupFiles, "/tmp/prof/costs.ts"], maxWorkers: Number(process.env.W ?? 3) } };
