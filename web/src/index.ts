/** Public API of the page: its HTTP API, its data sources, and the server. */
export type * from "./api.ts";
export { type FilesOptions, type FilesSource, openFiles, openThenNewest } from "./files/files-source.ts";
export { detailOf, finalsDetail, recordDetail, recordSummary, summaryOf } from "./run/describe.ts";
export { bestOfRun, RunTrials } from "./run/run-trials.ts";
export { openDoors, type PageAppOptions, type PageDoors, pageApp } from "./server/app.ts";
export { guard, isLocalName } from "./server/guard.ts";
export { httpError } from "./server/http-error.ts";
export { type PageServer, servePage } from "./server/serve.ts";
export type { PageSource, RecordsAsked, Viewer } from "./source.ts";
