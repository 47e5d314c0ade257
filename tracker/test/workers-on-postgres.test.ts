/**
 * The tracker's suite once more, on a PostgreSQL server: workers and what they are given. What only processes
 * and directories have to do with is not repeated. The short form leaves out a file all of whose statements the others run too:
 * what it proves of the services, it proves on the embedded store.
 */
import "./on-postgres.testing.ts";
import { isFull } from "../../test-support/campaign.ts";

const short = ["builders", "fences", "leaving", "matching", "paired", "reuse"];
// A module of its own: a worker that has run the file already, or will, keeps one module for one name.
for (const file of isFull ? [...short, "workers"] : short) await import(/* @vite-ignore */ `./${file}.test.ts?on=postgres`);
