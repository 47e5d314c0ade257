/** After a failure nothing more is begun. Throws it when what had begun has ended. */
export async function severalAtOnce<T>(most: number, all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const takeTurns = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift())
      await work(next).catch((error: unknown) => {
        left.length = 0;
        throw error;
      });
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, takeTurns));
  for (const each of ended) if (each.status === "rejected") throw each.reason;
}
