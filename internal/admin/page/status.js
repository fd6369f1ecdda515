// The band of what is so now.

import {html} from "./html.js";
import {state} from "./state.js";
import {latency, number, plural, rate, span} from "./text.js";

const smoothed = 5; // seconds

function perSecond(name) {
  const last = state.ticks.slice(-smoothed);
  return last.length ? last.reduce((sum, t) => sum + t[name], 0) / last.length : 0;
}

export function Status() {
  return html`<section aria-labelledby="status-title" class="bare">
    <h2 id="status-title" class="unseen">Status</h2>
    <dl id="status">
      <${Rate} id="allowed" title="Allowed" name="allowed" />
      <${Rate} id="refused" title="Refused" name="refused" beside=${perSecond("denied") > 0 && `${rate(perSecond("denied"))} denied by a list`} />
      <${Rate} id="shadow" title="Refused in shadow" name="shadow_refused" />
      <${Rate} id="errors" title="Errors" name="errors" beside=${perSecond("degraded") > 0 && `${rate(perSecond("degraded"))} degraded`} />
      <${Store} />
      <${Config} />
    </dl>
    <${Notes} />
  </section>`;
}

function Rate({id, title, name, beside}) {
  return html`<${Tile} id=${id} title=${title} kind=${id} value=${rate(perSecond(name))} unit="/s" beside=${beside} />`;
}

function Tile({id, title, kind, value, unit, beside}) {
  return html`<div><dt>${title}</dt><dd><span id=${id} class=${`value ${kind}`}>${value}</span><small>${unit}</small></dd>${beside && html`<dd class="beside">${beside}</dd>`}</div>`;
}

function Store() {
  const s = state.now?.store;
  if (!s) return html`<${Tile} id="store" title="Store" value="…" />`;
  const [condition, kind] = conditionOf(s);
  return html`<${Tile} id="store" title="Store" value=${condition} kind=${kind} unit=${latency(s.p50_us)}
    beside=${[s.kind, s.kind === "memory" && `${number(s.keys)} keys`, s.p50_us > 0 && `99% under ${latency(s.p99_us)}`].filter(Boolean).join(", ")} />`;
}

function conditionOf(s) {
  if (s.breaker === "open") return ["not asked", "refused"];
  if (s.breaker === "half-open") return ["trying", "shadow"];
  return s.reachable ? ["up", ""] : ["unreachable", "refused"];
}

function Config() {
  const c = state.now?.config;
  if (!c) return html`<${Tile} id="config" title="Configuration" value="…" />`;
  const age = Math.max(0, Date.now() - Date.parse(c.loaded_at));
  return html`<${Tile} id="config" title="Configuration" value=${span(age)} unit="old"
    beside=${[c.file ? c.file.split(/[/\\]/).at(-1) : "the default", c.warnings > 0 && plural(c.warnings, "warning")].filter(Boolean).join(", ")} />`;
}

function Notes() {
  const {store, config} = state.now || {};
  return html`
    ${config?.error && html`<p class="note">The file as it is now is not in use: ${config.error}</p>`}
    ${store && conditionOf(store)[1] === "refused" && html`<p class="note">The store does not answer, so on_error decides${store.last_failure && `: ${store.last_failure}`}.</p>`}`;
}
