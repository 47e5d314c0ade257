/**
 * COPY from the client, which sends many rows for less than parameters cost. node-postgres knows the messages; the query object
 * here sends the rows.
 */
import type { Writable } from "node:stream";
import type pg from "pg";

interface CopyConnection {
  query(text: string): void;
  endCopyFrom(): void;
  readonly stream: Writable;
}

/** `statement`: `copy TABLE (COLUMNS) from stdin with (...)`; `rows`: in that form. Rejects with the server's error. */
export function copyIn(client: pg.PoolClient, statement: string, rows: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = () => {};
    client.query({
      submit: (connection) => (connection as unknown as CopyConnection).query(statement),
      handleCopyInResponse(connection: CopyConnection) {
        // The driver's own method would copy all rows once more.
        connection.stream.write(headOfCopyData(rows.length));
        connection.stream.write(rows);
        connection.endCopyFrom();
      },
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
      handleCommandComplete: nothing,
      handleCopyData: nothing,
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleEmptyQuery: nothing,
      handlePortalSuspended: nothing,
    } as pg.Submittable);
  });
}

/** The head of a message CopyData: its letter, and its length with the length. */
function headOfCopyData(bytes: number): Buffer {
  const head = Buffer.from("d\0\0\0\0");
  head.writeInt32BE(bytes + 4, 1);
  return head;
}
