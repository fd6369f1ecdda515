// The band of who asks: the heaviest, the most refused, and one caller's state.

import {get, post, restart} from "./ask.js";
import {field, gauge, html, reveal, table, verdict} from "./html.js";
import {Slider} from "./slider.js";
import {bounds, change, nameOf, state} from "./state.js";
import {clock, number, plural, quoted, span} from "./text.js";

// refresh asks for the callers of the chosen limit, or of the first.
export async function refresh() {
  const limit = state.limits.get(state.chosen) || [...state.limits.values()].toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))[0];
  if (!limit) return;
  const sort = state.sort;
  const crowd = await get("v1/keys", {layer: limit.layer, limit: limit.limit, sort, n: bounds.callers, full: state.full ? 1 : 0});
  if (state.chosen && state.chosen !== nameOf(limit) || state.sort !== sort) return; // another has been chosen meanwhile
  change({crowd, chosen: nameOf(limit)});
}

export function choose(name) {
  change({chosen: name, crowd: null, step: null});
  refresh().catch(() => {});
}

function order(sort) {
  change({sort});
  refresh().catch(() => {});
}

async function peek(layer, key, shown = key) {
  change({caller: {layer, key, shown, said: "Asking…"}});
  try {
    const {limits} = await get("v1/keys", {layer, key, full: state.full ? 1 : 0});
    change({caller: {layer, key, shown, limits, said: limits.length ? "" : "This layer has no limit for that caller."}});
  } catch (error) {
    change({caller: {layer, key, shown, said: error.message}});
  }
  reveal("caller");
}

async function reset(caller) {
  try {
    const {keys} = await post("v1/reset", {layer: caller.layer, key: caller.key});
    await peek(caller.layer, caller.key, caller.shown);
    change({caller: {...state.caller, said: `Reset: ${plural(keys, "key")} forgotten.`}});
  } catch (error) {
    change({caller: {...caller, armed: false, said: error.message}});
  }
}

export function Callers() {
  const names = [...state.limits.keys()].sort();
  return html`<section aria-labelledby="callers-title">
    <h2 id="callers-title">Callers</h2>
    <div class="controls">
      ${field("Limit", html`<select id="which" value=${state.chosen} onChange=${e => choose(e.target.value)}>${names.map(n => html`<option key=${n} value=${n}>${n}</option>`)}</select>`)}
      <div class="buttons" role="group" aria-label="Order">
        ${[["heaviest", "Heaviest"], ["refused", "Most refused"]].map(([sort, title]) => html`<button id=${`by-${sort}`} aria-pressed=${String(state.sort === sort)} onClick=${() => order(sort)}>${title}</button>`)}
      </div>
      <${Unmask} />
    </div>
    <div class="columns">
      <div>
        ${state.crowd ? html`<${Crowd} crowd=${state.crowd} />` : html`<p class="quiet">Nobody yet.</p>`}
        ${state.caller && html`<${Caller} caller=${state.caller} />`}
        <${Lookup} />
      </div>
      ${state.crowd && html`<${Slider} crowd=${state.crowd} />`}
    </div>
  </section>`;
}

function Unmask() {
  if (!state.session.may_unmask) return null;
  return html`<label class="check"><input id="full" type="checkbox" checked=${state.full} onChange=${e => unmask(e.target.checked)} /> Show keys in full</label>`;
}

function unmask(full) {
  change({full, caller: null, held: null});
  restart(); // the refusals
  refresh().catch(() => {});
}

function Crowd({crowd}) {
  const shown = state.sort === "refused" ? crowd.keys.filter(k => k.refused > 0) : crowd.keys;
  return html`
    <p id="crowd">${crowd.exact ? "" : "About "}${plural(crowd.callers, "caller")} of ${nameOf(crowd)}, ${crowd.rate}, in the last ${span(crowd.span_ms)} to ${span(2 * crowd.span_ms)}.</p>
    <div class="tall">${table("Callers", [["Caller", "name"], ["Requests", "number"], ["Refused", "number"], [`Most in ${span(crowd.period_ms)}`, "number"], ["Last", "number"]],
      shown.map(k => html`<tr key=${k.ref}>
        <th scope="row" class="name"><button class="link" onClick=${() => peek(crowd.layer, k.ref, k.key)}>${k.key}</button></th>
        <td class="number">${k.over > 0 && "≤ "}${number(k.asked)}</td><td class="number">${number(k.refused)}</td><td class="number">${number(k.peak)}</td><td class="number">${clock(k.last_ms)}</td>
      </tr>`))}</div>
    ${shown.length === 0 && html`<p class="quiet">Nobody has been refused.</p>`}`;
}

function Lookup() {
  const layers = [...new Set([...state.limits.values()].map(l => l.layer))].sort();
  const submit = e => {
    e.preventDefault();
    const form = new FormData(e.target);
    if (form.get("layer") && form.get("key")) peek(form.get("layer"), form.get("key").trim());
  };
  return html`<form id="lookup" class="controls" onSubmit=${submit}>
    ${field("Layer", html`<select name="layer">${layers.map(l => html`<option key=${l} value=${l}>${l}</option>`)}</select>`)}
    ${field("Address, API key or identity", html`<input name="key" required autocomplete="off" spellcheck="false" maxlength="512" />`, "grow")}
    <button>Look at a caller</button>
  </form>`;
}

function Caller({caller}) {
  return html`<div id="caller" class="card" role="region" aria-label="One caller" aria-live="polite">
    <h3>${caller.shown} <span class="quiet">in ${caller.layer}</span></h3>
    <p id="said">${caller.said}</p>
    ${caller.limits?.map(c => html`<div class="state" key=${c.limit + c.rule}>
      <strong>${nameOf(c)}</strong> <span class="quiet">${c.rule}</span> ${verdict(c.allowed, c.shadow)}
      ${gauge(c.used, c.capacity)}
      <span>${number(c.used)} of ${number(c.capacity)} used${!c.allowed && `, room in ${span(c.retry_after_ms)}`}</span>
    </div>`)}
    <div class="buttons">
      <button id="again" onClick=${() => peek(caller.layer, caller.key, caller.shown)}>Peek again</button>
      <${Reset} caller=${caller} />
      <button onClick=${() => change({caller: null})}>Close</button>
    </div>
    ${["peek", "reset"].map(verb => html`<${Command} key=${verb} text=${commandOf(verb, caller)} />`)}
  </div>`;
}

// Reset asks twice.
function Reset({caller}) {
  if (!state.session.may_change) return html`<span id="readonly" class="quiet">Read-only: a page may reset callers where WEIR_ADMIN_TOKEN is set.</span>`;
  return caller.armed
    ? html`<button id="reset" class="danger" onClick=${() => reset(caller)}>Yes, forget what it has used</button>`
    : html`<button id="reset" onClick=${() => change({caller: {...caller, armed: true}})}>Reset</button>`;
}

// commandOf is for a shell, where WEIR_ADMIN_TOKEN is set if there is one.
function commandOf(verb, {layer, key}) {
  return `weir keys ${verb} --admin ${location.origin} --layer ${quoted(layer)} --key ${quoted(key)}`;
}

function Command({text}) {
  const copy = e => navigator.clipboard?.writeText(text).then(() => { e.target.textContent = "Copied"; }, () => {});
  return html`<p class="command"><code>${text}</code>${navigator.clipboard && html` <button key=${text} onClick=${copy}>Copy</button>`}</p>`;
}
