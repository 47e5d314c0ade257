/** Records the states of a farm's nodes, for tests and for scripts that run without a build of the tests. */

const everyMs = 200;

/**
 * Records every state of every node with its reason until it is stopped. It counts observations by "role worker STATE", with ":
 * reason" where there is one. `tracker` is a connection that stays its owner's.
 */
export function watchNodeStates(tracker, clock) {
  const seen = new Map();
  let isOver = false;
  const look = async () => {
    const { nodes } = await tracker.farm.listNodes();
    for (const { role, workerId, state, reason } of nodes) {
      const words = `${role} ${workerId} ${state}${reason === undefined ? "" : `: ${reason}`}`;
      seen.set(words, (seen.get(words) ?? 0) + 1);
    }
  };
  const watching = (async () => {
    while (!isOver) {
      await look();
      await clock.sleep(everyMs);
    }
    await look();
  })();
  watching.catch(() => {}); // thrown by stop()
  return {
    async stop() {
      isOver = true;
      await watching;
      return seen;
    },
  };
}
