/**
 * COPY from the client, which takes many rows for less than parameters cost. node-postgres knows the messages and leaves the
 * rest to a query object of one's own.
 */
import type pg from "pg";

/** What the driver's connection has, and its types leave out. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** `statement`: `copy TABLE (COLUMNS) from stdin`; `text`: rows in the statement's text form. Rejects with the server's error. */
export function copyIn(client: pg.PoolClient, statement: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = () => {};
    client.query({
      submit: (connection) => (connection as unknown as CopyConnection).query(statement),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(Buffer.from(text));
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
