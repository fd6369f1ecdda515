// How figures are told.

export const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

export const plural = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

// rate has a digit after the point where it matters.
export const rate = perSecond => perSecond < 10 ? String(Math.round(perSecond * 10) / 10) : number(Math.round(perSecond));

// percent is never 0% or 100% for a little more or less.
export function percent(part, whole) {
  if (!whole) return "0%";
  const tenths = Math.round(1000 * part / whole);
  if (part > 0 && tenths === 0) return "<0.1%";
  return `${(part < whole ? Math.min(tenths, 999) : tenths) / 10}%`;
}

// span is a length of time, rounded up to what people would notice.
export function span(ms) {
  if (ms < 0) return "for ever";
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120 && seconds !== 60) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

// latency is told of microseconds; 0 is that nothing was asked.
export function latency(us) {
  if (!us) return "idle";
  return us < 1000 ? `${us} µs` : `${rate(us / 1000)} ms`;
}

export const clock = ms => new Date(ms).toLocaleTimeString("en-GB");

// quoted is the text as one word of a POSIX shell.
export const quoted = text => /^[\w.:\/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
