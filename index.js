// What a template's file imports. The command line gives every file its own, wherever the file lies; this is for editors, tsc and
// Node.
export * from "@warpfarm/client/template";
