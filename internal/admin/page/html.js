// The markup that all bands share. Text goes into it as text, never as markup.

import {h} from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";

export const html = htm.bind(h);

// table is one that scrolls by itself where it is too wide. Columns are [title, class].
export function table(caption, columns, rows) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="unseen">${caption}</caption>
      <thead><tr>${columns.map(([title, kind]) => html`<th scope="col" class=${kind}>${title}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}

// field is an input with its label above.
export function field(label, input, kind = "") {
  return html`<label class=${`field ${kind}`}>${label}${input}</label>`;
}

// gauge shows how much of something is used.
export function gauge(used, room) {
  const share = Math.min(1, used / Math.max(1, room));
  const kind = share >= 1 ? "full" : share >= 0.8 ? "high" : "low";
  return html`<svg class=${`gauge ${kind}`} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * share} height="10" /></svg>`;
}

// reveal scrolls to what has just been answered, if it is out of sight.
export function reveal(id) {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView({block: "nearest"})));
}

export function verdict(allowed, shadow) {
  if (allowed) return html`<span class="tag allowed">allowed</span>`;
  return shadow ? html`<span class="tag shadow">shadow</span>` : html`<span class="tag refused">refused</span>`;
}
