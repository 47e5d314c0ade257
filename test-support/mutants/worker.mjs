export const faults = [
  {
    name: "lease-twice",
    why: "an assignment that comes twice is carried out twice",
    find: "if (epoch <= (this.#seen.get(leaseId) ?? -1)) return false;",
    to: "if (epoch < (this.#seen.get(leaseId) ?? -1)) return false;",
  },
  { name: "leaving-starts", why: "a worker that leaves starts what comes", find: "if (this.#leaving) return; //", to: "//" },
  {
    name: "outcome-lost",
    why: "an outcome is forgotten when it was sent, not when it was acknowledged",
    find: "for (const { leaseId } of outcomes) this.#sending.delete(leaseId);",
    to: "for (const { leaseId } of outcomes) {\n      this.#sending.delete(leaseId);\n      this.#pending.delete(leaseId);\n    }",
  },
  {
    name: "held-back",
    why: "a lease whose outcome waits for the next call is not named",
    find: "running: [...this.#jobs.leases, ...this.#outcomes.heldBack(outcomes)],",
    to: "running: [...this.#jobs.leases],",
  },
  {
    name: "epoch-over",
    why: "jobs of an epoch that is over go on",
    find: "this.#jobs.abort(reason);\n          return;",
    to: "return;",
  },
  {
    name: "cancel",
    why: "a cancelled lease runs to its end",
    find: 'running.controller.abort(new FarmError("CANCELLED", "the tracker cancelled this lease"));',
    to: "",
  },
  {
    name: "drained",
    why: "a worker that was told to drain asks for work",
    find: "const isOpen = isActive && !this.#leaving;",
    to: "const isOpen = !this.#leaving;",
  },
  {
    name: "not-begun",
    why: "a job that had not begun counts as given up by the worker that leaves",
    find: "this.#leaving && hasBegun",
    to: "this.#leaving",
  },
  {
    name: "cache-untold",
    why: "what was added to the cache is told in every call",
    find: "for (const digest of added) this.#added.delete(digest);\n",
    to: "",
  },
  {
    name: "backoff",
    why: "a farm that lost its tracker is asked without a pause",
    find: "await this.#clock.sleep(retryInMs, { signal });",
    to: "signal.throwIfAborted();",
  },
  {
    name: "hopeless",
    why: "a refused registration is tried for ever",
    find: "if (this.#member === undefined && hopeless.has(reason.code)) throw reason;",
    to: "",
  },
  {
    name: "trouble",
    why: "the tracker is told of trouble once it is over, too late",
    find: "          trouble,\n          ...(checks",
    to: '          trouble: "",\n          ...(checks',
  },
];
