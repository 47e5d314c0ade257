/**
 * A day of a simulated farm: principals open searches at random times, on devices whose times are drawn, and the tracker's own
 * policy (FairShare) decides who is next. At regular times everybody who waits is told an estimate (playAhead), which is compared
 * with what then happened. Time is simulated, so a day takes seconds.
 *
 * Devices are counted by which session each served last, with `places` (tracker/src/policy/places.ts) where the parts have them.
 *
 * times       of a session's runs lognormal, with a median of its own of 1 to 50 s and a sigma of 0.5
 * searches    of 12 trials and more (in the median 140) with 16, 32 or 64 in flight. A principal has one, two or three at a time;
 *             half of the pauses between two are shorter than ten minutes
 */
export function simulateDay(parts, random, { principals, devices, hours, everyMs }) {
  const day = new Day(parts, random, devices);
  const { agenda } = day;
  const endMs = hours * 3_600_000;
  for (let p = 0; p < principals; p++)
    for (let i = 0; i <= p % 3; i++) agenda.at(random.float() * 3_600_000, () => day.search(`p${p}`));
  for (let at = everyMs; at < endMs; at += everyMs) agenda.at(at, () => day.look());
  for (let act = agenda.next(); act && agenda.now <= endMs; act = agenda.next()) {
    act();
    day.begin();
  }
  const told = day.told.filter(({ startedMs, doneMs }) => startedMs !== undefined && doneMs !== undefined);
  return { told, opened: day.opened, runs: day.runs, moved: day.moved, busyShare: day.busyMs / (devices * endMs) };
}

class Day {
  agenda = new Agenda();
  told = [];
  opened = 0;
  /** Runs, and those on a device that had served another session, or none. */
  runs = 0;
  moved = 0;
  busyMs = 0;
  #parts;
  #random;
  #shares;
  #sessions = new Map();
  #devices;
  /** Idle devices by name, the longest waiting first. */
  #idle = new Map();
  #served = new Map();

  constructor(parts, random, devices) {
    this.#parts = parts;
    this.#random = random;
    this.#shares = new parts.FairShare();
    this.#devices = devices;
    for (let n = 0; n < devices; n++) this.#rest(parts.toWorkerId(`w${n}`));
  }

  #rest(worker) {
    this.#idle.set(worker, { worker, epoch: 1, device: 0, free: 1 });
  }

  #lognormal(median, sigma) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random.float())) * Math.cos(2 * Math.PI * this.#random.float());
    return median * Math.exp(sigma * normal);
  }

  search(principal) {
    const id = this.#parts.toSessionId(`s${++this.opened}`);
    const medianMs = 1_000 * Math.exp(this.#random.float() * Math.log(50));
    const left = Math.round(this.#lognormal(140, 1.1)) + 12;
    const session = { ...{ id, principal, medianMs, left, ready: 0, running: new Map() }, ...{ begun: 0, done: 0, watch: [] } };
    this.#sessions.set(id, session);
    this.#shares.put({ id, principal, priority: 0, weight: 1, usedMs: 0 });
    for (let n = 16 << this.#random.below(3); n > 0 && session.left > 0; n--) this.#send(session);
  }

  #send(session) {
    session.left--;
    session.ready++;
    this.#shares.addReady([session.id]);
  }

  begin() {
    const { size } = this.#idle;
    if (size === 0 || !this.#shares.anyReady) return;
    const group = { key: "g", devices: this.#idle.values(), idle: size, at: (worker) => this.#idle.get(worker) };
    const slots = this.#shares.plan([group], () => true, size, this.#parts.places);
    this.#shares.claimed(slots, slots, [], () => false);
    this.#parts.places?.served(slots);
    for (const { session: id, worker } of slots) {
      this.#idle.delete(worker);
      this.runs++;
      if (this.#served.get(worker) !== id) this.moved++;
      this.#served.set(worker, id);
      const session = this.#sessions.get(id);
      const ms = this.#lognormal(session.medianMs, 0.5);
      const run = ++session.begun;
      session.ready--;
      session.running.set(run, this.agenda.now);
      for (const w of session.watch) if (w.begins === run) w.startedMs = this.agenda.now;
      this.agenda.at(this.agenda.now + ms, () => this.#end(session, run, ms, worker));
      this.busyMs += ms;
    }
  }

  #end(session, run, ms, worker) {
    this.#rest(worker);
    session.running.delete(run);
    session.done++;
    this.#shares.used(session.id, ms);
    for (const w of session.watch) if (--w.toEnd === 0) w.doneMs = this.agenda.now;
    if (session.left > 0) this.#send(session);
    else if (session.ready === 0 && session.running.size === 0) {
      this.#sessions.delete(session.id);
      this.#shares.keepOnly((id) => this.#sessions.has(id));
      this.agenda.at(this.agenda.now + this.#lognormal(600_000, 1), () => this.search(session.principal));
    }
  }

  /** Tells everybody who waits an estimate, and awaits what it is of. */
  look() {
    const { now } = this.agenda;
    const open = [...this.#sessions.values()];
    const running = open.flatMap(({ id, running: runs }) => [...runs.values()].map((at) => ({ session: id, heldMs: now - at })));
    const estimates = this.#parts.playAhead({
      ...{ shares: this.#shares, fits: () => true, builders: this.#devices, buildMs: 1 },
      groups: [{ key: "g", free: this.#idle.size, running }],
      waiters: open.map(({ id, principal, ready, left }) => ({
        ...{ id, principal, ready, priority: 0, building: 0, more: left, paused: false },
      })),
    });
    for (const [id, estimate] of estimates) {
      const session = this.#sessions.get(id);
      // Runs end in another order than they began, so what is awaited is that as many have ended.
      const w = { ...estimate, atMs: now, begins: session.begun + 1, toEnd: session.ready + session.running.size };
      session.watch.push(w);
      this.told.push(w);
    }
  }
}

/** The error of each estimate, as a share of what happened: |told - happened| / happened. */
export function errorsOf(told, estimate, happened) {
  return told
    .map((w) => ({ toldMs: w[estimate], tookMs: w[happened] - w.atMs }))
    .filter(({ tookMs }) => tookMs > 0)
    .map(({ toldMs, tookMs }) => Math.abs(toldMs - tookMs) / tookMs)
    .sort((a, b) => a - b);
}

class Agenda {
  now = 0;
  #heap = [];
  at(time, act) {
    const heap = this.#heap;
    let i = heap.push({ time, act }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[up].time > heap[i].time; i = up, up = (i - 1) >> 1)
      [heap[i], heap[up]] = [heap[up], heap[i]];
  }
  next() {
    const heap = this.#heap;
    if (heap.length === 0) return undefined;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last;
      for (let i = 0, down = 1; down < heap.length; i = down, down = 2 * i + 1) {
        if (down + 1 < heap.length && heap[down + 1].time < heap[down].time) down++;
        if (heap[down].time >= heap[i].time) break;
        [heap[i], heap[down]] = [heap[down], heap[i]];
      }
    }
    this.now = first.time;
    return first.act;
  }
}
