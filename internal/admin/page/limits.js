// The band of what is decided: the chart, and each limit's part.

import {Chart} from "./chart.js";
import {gauge, html, table} from "./html.js";
import {bounds, nameOf, state} from "./state.js";
import {number} from "./text.js";

export function Live({choose}) {
  const limits = [...state.limits.values()].sort((a, b) => a.layer.localeCompare(b.layer) || a.limit.localeCompare(b.limit));
  return html`<section aria-labelledby="live-title">
    <h2 id="live-title">Decisions per second</h2>
    <${Chart} />
    <h3>Limits</h3>
    ${limits.length === 0
      ? html`<p class="quiet">No limit has been asked since weir started.</p>`
      : table("Limits", [["Limit", "name"], ["Allowed/s", "number"], ["Refused/s", "number"], [`${bounds.points} s`, ""], ["Fullest caller", ""]],
        limits.map(l => html`<${Limit} key=${nameOf(l)} of=${l} choose=${choose} />`))}
  </section>`;
}

function Limit({of: l, choose}) {
  const now = l.idle ? {allowed: 0, refused: 0, shadow_refused: 0, utilisation: 0} : l.last;
  const full = Math.round(100 * now.utilisation);
  return html`<tr>
    <th scope="row" class="name"><button class="link" onClick=${() => choose(nameOf(l))}>${nameOf(l)}</button>
      <span class="rule">${l.last.rate} ${l.last.algorithm} ${l.last.shadow && html`<span class="tag shadow">shadow</span>`}</span></th>
    <td class="number">${number(now.allowed)}</td>
    <td class="number">${number(now.refused + now.shadow_refused)}</td>
    <td><${Sparkline} asked=${l.asked} refused=${l.refused} /></td>
    <td class="use">${gauge(now.utilisation, 1)} ${full}%</td>
  </tr>`;
}

const wide = 120, high = 24;

function Sparkline({asked, refused}) {
  const most = Math.max(1, ...asked);
  const line = points => points.map((n, i) => `${(wide * (bounds.points - points.length + i) / (bounds.points - 1)).toFixed(1)},${(high - 1 - (high - 2) * n / most).toFixed(1)}`).join(" ");
  return html`<svg class="spark" viewBox=${`0 0 ${wide} ${high}`} width=${wide} height=${high} role="img" aria-label=${`at most ${number(most)} a second`}>
    <polyline class="asked" points=${line(asked)} /><polyline class="refused" points=${line(refused)} />
  </svg>`;
}
