/**
 * The tracker's suite once more, on a PostgreSQL server: sessions, measurements and what stands around them. What only processes
 * and directories have to do with is not repeated.
 */
import "./on-postgres.testing.ts";

// A module of its own: a worker that has run the file already, or will, keeps one module for one name.
for (const file of ["admin", "artifacts", "health", "measure-stream", "measurement", "old-stores", "records", "sessions"])
  await import(/* @vite-ignore */ `./${file}.test.ts?on=postgres`);
