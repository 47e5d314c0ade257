import base from "./vitest.config.ts";
const b = base as any;
export default { ...b, test: { ...b.test, setupFiles: [...b.test.setupFiles, "/tmp/prof/costs2.ts"], maxWorkers: 1 } };
