/**
 * COPY from the client, which sends many rows for less than parameters cost. node-postgres knows the messages; the query object
 * here sends the rows.
 */
import type pg from "pg";

/** Methods that the driver's connection has and its types lack. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** `statement`: `copy TABLE (COLUMNS) from stdin with (...)`; `rows`: in the form that it names. Rejects with the server's error. */
export function copyIn(client: pg.PoolClient, statement: string, rows: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = () => {};
    client.query({
      submit: (connection) => (connection as unknown as CopyConnection).query(statement),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(Buffer.from(rows.buffer, rows.byteOffset, rows.length));
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
