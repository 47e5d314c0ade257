/**
 * A day of a simulated farm: principals open searches at random times, on devices whose times are drawn, and the tracker's own
 * policy (FairShare) decides who is next. At regular times everybody who waits is told an estimate (playAhead), which is compared
 * with what then happened. Time is simulated, so a day takes seconds.
 *
 * times       of a session's runs lognormal, with a median of its own of 1 to 50 s and a sigma of 0.5
 * searches    of 12 trials and more (in the median 140) with 16, 32 or 64 in flight. A principal has one, two or three at a time;
 *             half of the pauses between two are shorter than ten minutes
 */
export function simulateDay({ FairShare, playAhead, toSessionId, toWorkerId }, random, { principals, devices, hours, everyMs }) {
  const dayMs = hours * 3_600_000;
  const uniform = () => (random.below(1_000_000) + 0.5) / 1_000_000;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const lognormal = (median, sigma) => median * Math.exp(sigma * normal());
  const shares = new FairShare();
  const device = { worker: toWorkerId("w"), epoch: 1, device: 0 };
  const sessions = new Map();
  const agenda = new Agenda();
  const told = [];
  let opened = 0;
  let free = devices;

  const search = (principal) => {
    const inFlight = [16, 32, 64][random.below(3)];
    const trials = Math.round(lognormal(140, 1.1)) + 12;
    const session = {
      ...{ id: toSessionId(`s${++opened}`), principal, medianMs: 1_000 * Math.exp(uniform() * Math.log(50)) },
      ...{ left: trials, ready: 0, running: new Map(), begun: 0, done: 0, accepted: 0, watch: [] },
    };
    sessions.set(session.id, session);
    shares.put({ id: session.id, principal, priority: 0, weight: 1, usedMs: 0 });
    for (let i = 0; i < inFlight && session.left > 0; i++) send(session);
  };
  const send = (session) => {
    session.left--;
    session.ready++;
    session.accepted++;
    shares.addReady([session.id]);
  };
  const begin = () => {
    if (free === 0 || !shares.anyReady) return;
    const slots = shares.plan([{ key: "g", devices: [{ ...device, free }] }], () => true, free);
    shares.claimed(slots, slots, [], () => false);
    free -= slots.length;
    for (const { session: id } of slots) {
      const session = sessions.get(id);
      const ms = lognormal(session.medianMs, 0.5);
      const run = ++session.begun;
      session.ready--;
      session.running.set(run, agenda.now);
      for (const w of session.watch) if (w.begins === run) w.startedMs = agenda.now;
      agenda.at(agenda.now + ms, () => end(session, run, ms));
    }
  };
  const end = (session, run, ms) => {
    free++;
    session.running.delete(run);
    session.done++;
    shares.used(session.id, ms);
    for (const w of session.watch) if (--w.toEnd === 0) w.doneMs = agenda.now;
    if (session.left > 0) send(session);
    else if (session.ready === 0 && session.running.size === 0) {
      sessions.delete(session.id);
      shares.keepOnly((id) => sessions.has(id));
      agenda.at(agenda.now + lognormal(600_000, 1), () => search(session.principal));
    }
    begin();
  };
  const look = () => {
    const open = [...sessions.values()];
    const running = open.flatMap(({ id, running: runs }) =>
      [...runs.values()].map((at) => ({ session: id, heldMs: agenda.now - at })),
    );
    const estimates = playAhead({
      ...{ shares, fits: () => true, builders: devices, buildMs: 1 },
      groups: [{ key: "g", free, running }],
      waiters: open.map(({ id, principal, ready, left }) => ({
        ...{ id, principal, ready, priority: 0, building: 0, more: left, paused: false },
      })),
    });
    for (const [id, estimate] of estimates) {
      const session = sessions.get(id);
      const w = { ...estimate, atMs: agenda.now, principal: session.principal, ended: session.done };
      // Runs end in another order than they began, so what is awaited is that as many have ended.
      Object.assign(w, { begins: session.begun + 1, toEnd: session.ready + session.running.size });
      session.watch.push(w);
      told.push(w);
    }
    if (agenda.now + everyMs < dayMs) agenda.at(agenda.now + everyMs, look);
  };
  for (let p = 0; p < principals; p++)
    for (let i = 0; i <= p % 3; i++) agenda.at(uniform() * 3_600_000, () => search(`p${p}`));
  agenda.at(everyMs, look);
  for (let act = agenda.next(); act; act = agenda.next()) {
    if (agenda.now > dayMs) break;
    act();
    begin();
  }
  return { told: told.filter(({ startedMs, doneMs }) => startedMs !== undefined && doneMs !== undefined), opened };
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
