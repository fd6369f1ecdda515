// The band of why: one decision or request explained, and the last refusals.

import {get, post} from "./ask.js";
import {field, html, reveal, table, verdict} from "./html.js";
import {change, nameOf, state} from "./state.js";
import {clock, number, plural, span} from "./text.js";

async function explain(asked) {
  change({explaining: "Asking…"});
  try {
    change({explained: await asked, explaining: ""});
  } catch (error) {
    change({explained: null, explaining: error.message});
  }
  reveal("explaining");
}

// byID explains a decision. The address of the page then names it.
export function byID(id) {
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  return explain(get(`v1/decisions/${encodeURIComponent(id)}`, {full: state.full ? 1 : 0}));
}

function byRequest(form) {
  const attributes = {method: form.get("method"), path: form.get("path")};
  for (const name of ["ip", "host"]) {
    if (form.get(name)) attributes[name] = form.get(name).trim();
  }
  if (form.get("key")) attributes.headers = {[state.header]: form.get("key").trim()};
  return explain(post("v1/explain", {attributes, cost: Number(form.get("cost"))}));
}

const submitted = act => e => {
  e.preventDefault();
  act(new FormData(e.target));
};

export function Explain() {
  return html`<div class="columns">
    <section aria-labelledby="explain-title">
      <h2 id="explain-title">Why</h2>
      <form id="by-id" class="controls" onSubmit=${submitted(form => byID(form.get("id").trim()))}>
        ${field("A decision's id", html`<input name="id" required autocomplete="off" spellcheck="false" placeholder="Weir-Decision" maxlength="32" />`, "grow")}
        <button>Explain</button>
      </form>
      <${RequestForm} />
      <div id="explained" role="region" aria-label="Explanation" aria-live="polite">
        <p id="explaining">${state.explaining}</p>
        ${state.explained && html`<${Explained} decision=${state.explained} />`}
      </div>
    </section>
    <${Refusals} />
  </div>`;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

function RequestForm() {
  return html`<details id="ask"><summary>Or fill in a request: nothing is charged</summary>
    <form id="by-request" class="controls" onSubmit=${submitted(byRequest)}>
      ${field("Method", html`<select name="method">${methods.map(m => html`<option>${m}</option>`)}</select>`)}
      ${field("Path", html`<input name="path" required defaultValue="/" autocomplete="off" spellcheck="false" />`, "grow")}
      ${field("Host", html`<input name="host" autocomplete="off" spellcheck="false" />`)}
      ${field("Address", html`<input name="ip" autocomplete="off" spellcheck="false" placeholder="203.0.113.7" />`)}
      ${field(state.header, html`<input name="key" autocomplete="off" spellcheck="false" />`)}
      ${field("Cost", html`<input name="cost" type="number" min="0" defaultValue="1" required />`, "small")}
      <button>Explain</button>
    </form>
  </details>`;
}

function Explained({decision: d}) {
  const request = [d.request.method, d.request.host, d.request.path, d.request.ip && `from ${d.request.ip}`].filter(Boolean).join(" ");
  return html`
    <p class="why"><strong>${d.why}</strong> ${verdict(d.allowed)}</p>
    <p class="quiet">${request}${request && ", "}${d.policy ? "as things are now" : `${clock(d.at_ms)}, decision ${d.id}`}</p>
    ${d.changes.length > 0 && html`<h3>What would change that</h3><ul>${d.changes.map(text => html`<li>${text}</li>`)}</ul>`}
    ${d.checks.toSorted((a, b) => weight(b) - weight(a)).map(c => html`<${Check} key=${nameOf(c)} of=${c} at=${d.at_ms} />`)}
    ${d.policy && html`<${Passed} layers=${d.policy.layers} />`}`;
}

// weight puts first what refused.
const weight = c => c.allowed ? 0 : c.shadow ? 1 : 2;

function Check({of: c, at}) {
  return html`<div class="card">
    <h3>${nameOf(c)} ${verdict(c.allowed, c.shadow)}</h3>
    <p>${c.why}</p>
    <dl class="facts">
      <div><dt>Rule</dt><dd>${c.rule}</dd></div>
      <div><dt>Key</dt><dd>${c.key}</dd></div>
      <div><dt>Used before</dt><dd>${number(c.used)} of ${number(c.capacity)}</dd></div>
      <div><dt>Left after</dt><dd>${number(c.remaining)}</dd></div>
      <div><dt>Free again</dt><dd>${c.reset_at_ms > at ? `after ${span(c.reset_at_ms - at)}` : "already"}</dd></div>
    </dl>
    ${c.algorithms?.length > 0 && html`<details open=${!c.allowed}><summary>What every algorithm would say</summary>${algorithms(c.algorithms)}</details>`}
  </div>`;
}

function algorithms(answers) {
  return table("Algorithms", [["Algorithm", "name"], ["Says", ""], ["Left", "number"], ["Wait", "number"]],
    answers.map(a => html`<tr key=${a.algorithm}><th scope="row">${a.algorithm}${a.decided && html` <span class="quiet">decided</span>`}</th>
      <td>${verdict(a.allowed)}</td><td class="number">${number(a.remaining)}</td><td class="number">${a.allowed ? "" : span(a.retry_after_ms)}</td></tr>`));
}

// Passed are the layers that do not count the request.
function Passed({layers}) {
  const others = layers.filter(l => !l.counts);
  return others.length > 0 && html`<h3>Layers that do not count it</h3><ul>${others.map(l => html`<li key=${l.name}><strong>${l.name}</strong>: ${l.why}</li>`)}</ul>`;
}

function Refusals() {
  const list = state.held || state.refusals;
  const missed = state.held ? ` The list is held.` : "";
  return html`<section aria-labelledby="refusals-title">
    <h2 id="refusals-title">Refusals</h2>
    <div class="buttons"><button id="hold" aria-pressed=${String(state.held !== null)} onClick=${() => change({held: state.held ? null : [...state.refusals]})}>Hold the list</button>
      <span class="quiet">The last ${plural(list.length, "refusal")}; choose one to see why.${missed}</span></div>
    <ol id="refusals" tabindex="0" aria-labelledby="refusals-title">${list.map(r => html`<${Refusal} key=${r.id} of=${r} />`)}</ol>
  </section>`;
}

function Refusal({of: r}) {
  const wait = r.retry_after_ms < 0 ? "no wait helps" : r.retry_after_ms > 0 ? `wait ${span(r.retry_after_ms)}` : "";
  return html`<li><button onClick=${() => byID(r.id)} aria-current=${state.explained?.id === r.id ? "true" : undefined}>
    <span class="when">${clock(r.at_ms)}</span> <strong>${r.limit ? nameOf(r) : r.denied}</strong> ${r.shadow && html`<span class="tag shadow">shadow</span>`}
    <span class="wait">${wait}</span> <span class="what">${r.key} ${r.method} ${r.path}</span>
  </button></li>`;
}
