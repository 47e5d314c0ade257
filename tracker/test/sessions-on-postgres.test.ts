/**
 * The tracker's suite once more, on a PostgreSQL server: sessions, measurements and what stands around them. What only processes
 * and directories have to do with is not repeated. The short form leaves out a file all of whose statements the others run too:
 * what it proves of the services, it proves on the embedded store.
 */
import "./on-postgres.testing.ts";
import { isFull } from "../../test-support/campaign.ts";

const short = ["admin", "artifacts", "health", "measure-stream", "old-stores", "records", "sessions"];
// A module of its own: a worker that has run the file already, or will, keeps one module for one name.
for (const file of isFull ? [...short, "measurement", "toolchains"] : short)
  await import(/* @vite-ignore */ `./${file}.test.ts?on=postgres`);
