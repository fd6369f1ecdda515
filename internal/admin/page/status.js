// The band of what is so now.

import {html} from "./html.js";
import {state} from "./state.js";
import {latency, number, rate, span} from "./text.js";

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
  return html`<div><dt>${title}</dt><dd><span id=${id} class=${`value ${id}`}>${rate(perSecond(name))}</span><small>/s${beside && `, ${beside}`}</small></dd></div>`;
}

function Store() {
  const s = state.now?.store;
  if (!s) return html`<div><dt>Store</dt><dd id="store">…</dd></div>`;
  const [condition, kind] = conditionOf(s);
  return html`<div><dt>Store: ${s.kind}${s.kind === "memory" && `, ${number(s.keys)} keys`}</dt>
    <dd id="store"><span class=${`value ${kind}`}>${condition}</span><small>${latency(s.p50_us)}${s.p50_us > 0 && `, 99% under ${latency(s.p99_us)}`}</small></dd></div>`;
}

function conditionOf(s) {
  if (s.breaker === "open") return ["not asked", "refused"];
  if (s.breaker === "half-open") return ["trying", "shadow"];
  return s.reachable ? ["up", ""] : ["unreachable", "refused"];
}

function Config() {
  const c = state.now?.config;
  if (!c) return html`<div><dt>Configuration</dt><dd id="config">…</dd></div>`;
  const age = Math.max(0, Date.now() - Date.parse(c.loaded_at));
  return html`<div><dt>Configuration: ${c.file || "the default"}</dt>
    <dd id="config"><span class="value">${span(age)}</span><small>old${c.warnings > 0 && `, ${number(c.warnings)} warnings`}</small></dd></div>`;
}

function Notes() {
  const {store, config} = state.now || {};
  return html`
    ${config?.error && html`<p class="note">The file as it is now is not in use: ${config.error}</p>`}
    ${store && conditionOf(store)[1] === "refused" && html`<p class="note">The store does not answer, so on_error decides${store.last_failure && `: ${store.last_failure}`}.</p>`}`;
}
