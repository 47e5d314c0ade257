// What a template's file imports: see index.js.
/// <reference lib="esnext.disposable" />
export * from "@warpfarm/client/template";
