// What the page knows. All of it is bounded: nothing grows with callers or with time.

export const bounds = {ticks: 300, points: 60, limits: 100, refusals: 200, callers: 50};

export const state = {
  connection: "connecting", // or "live", "lost", "locked"
  trouble: "",              // why it is lost or locked
  session: {token: false, may_change: false, may_unmask: false},
  header: "X-API-Key",      // that API keys come in
  full: false,              // keys are shown in full

  ticks: [],                // sums of a second each, oldest first
  now: null,                // the last tick that came live
  limits: new Map(),        // by name: {layer, limit, last, asked, refused, idle}

  refusals: [],             // newest first
  held: null,               // what the list shows while it is held

  chosen: "",               // the limit whose callers are shown
  sort: "heaviest",
  crowd: null,              // its callers
  step: null,               // where the slider stands; null for the limit's own
  caller: null,             // {layer, key, shown, peek, said, armed}

  explained: null,
  explaining: "",           // what went wrong, or what is under way
};

let draw = () => {};
let drawing = false;

// onChange sets what draws the page. However much changes, it is drawn once a frame.
export function onChange(f) { draw = f; }

export function change(what = {}) {
  Object.assign(state, what);
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

export const nameOf = l => `${l.layer} ${l.limit}`;

// begin takes the history that a stream begins with. What was known before may be of
// another process.
export function begin({ticks, refusals}) {
  state.limits.clear();
  state.ticks = [];
  for (const t of ticks) addTick(t);
  state.refusals = refusals.slice(0, bounds.refusals);
  change();
}

export function addTick(t) {
  const {limits, store, config, ...sums} = t;
  state.ticks.push(sums);
  if (state.ticks.length > bounds.ticks) state.ticks.splice(0, state.ticks.length - bounds.ticks);
  if (store) state.now = {store, config};
  addPoints(limits);
  change();
}

function addPoints(limits) {
  for (const l of limits) {
    const name = nameOf(l);
    const known = state.limits.get(name) || {layer: l.layer, limit: l.limit, asked: [], refused: []};
    state.limits.delete(name); // the newest come last
    state.limits.set(name, Object.assign(known, {last: l, fresh: true}));
  }
  for (const [name, l] of state.limits) {
    l.idle = l.fresh ? 0 : l.idle + 1;
    if (l.idle > bounds.points) state.limits.delete(name);
    const now = l.fresh ? l.last : {allowed: 0, refused: 0, shadow_refused: 0};
    push(l.asked, now.allowed + now.refused + now.shadow_refused);
    push(l.refused, now.refused + now.shadow_refused);
    l.fresh = false;
  }
  for (const name of state.limits.keys()) {
    if (state.limits.size <= bounds.limits) break;
    state.limits.delete(name);
  }
}

function push(points, value) {
  points.push(value);
  if (points.length > bounds.points) points.shift();
}

export function addRefusal(r) {
  state.refusals.unshift(r);
  if (state.refusals.length > bounds.refusals) state.refusals.length = bounds.refusals;
  change();
}

// retained is how much is held, for whoever checks that it is bounded.
export function retained() {
  let points = 0;
  for (const l of state.limits.values()) points += l.asked.length + l.refused.length;
  return {
    ticks: state.ticks.length, refusals: state.refusals.length, limits: state.limits.size, points,
    callers: state.crowd ? state.crowd.keys.length : 0, peaks: state.crowd ? state.crowd.peaks.length : 0,
  };
}
