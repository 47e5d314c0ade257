/**
 * The tracker's suite once more, on a PostgreSQL server, without what only processes and directories have to do with. What it
 * proves of the services, it proves on the embedded store, so npm test runs here as many tests as run every statement; the
 * campaign runs them all, and looks whether that is still so.
 */
import { expect, test } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { unseen } from "./on-postgres.testing.ts";

const files = [
  ...[
    "admin",
    "artifacts",
    "builders",
    "claims",
    "claims-at-builders",
    "fences",
    "health",
    "leaving",
    "matching",
    "measure-stream",
    "measurement",
    "page-running",
  ],
  ...["paired", "records", "reuse", "sessions", "set-aside", "toolchains", "workers"],
  ...["names", "second-builder", "second-looks", "implausible"],
];
// A module of its own: a worker that has run the file already, or will, keeps one module for one name.
for (const file of files) await import(/* @vite-ignore */ `./${file}.test.ts?on=postgres`);

if (isFull)
  test("every statement is one of a test that npm test runs", () => {
    expect(unseen()).toEqual([]);
  });
