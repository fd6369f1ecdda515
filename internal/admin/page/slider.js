// The limit slider: who would have been refused at another limit.

import {html} from "./html.js";
import {change, state} from "./state.js";
import {number, percent, plural, span} from "./text.js";

const wide = 600, high = 120;

export function Slider({crowd}) {
  const own = countOf(crowd.rate);
  const steps = ladder(own, crowd.peaks.at(-1)?.peak || 1);
  const step = Math.min(state.step ?? steps.indexOf(own), steps.length - 1);
  const limit = steps[step], period = crowd.rate.split("/")[1];
  const said = told(crowd, limit, period);
  return html`<div class="slider">
    <h3>At another limit</h3>
    <div class="controls">
      <label class="field grow">Limit
        <input id="slider" type="range" min="0" max=${steps.length - 1} value=${step} aria-valuetext=${said} onInput=${e => change({step: Number(e.target.value)})} />
      </label>
      <output id="value" for="slider">${number(limit)}/${period}</output>
    </div>
    <p id="verdict">${said}</p>
    <${Distribution} steps=${steps} peaks=${crowd.peaks} step=${step} />
    <p class="quiet">Who would be refused anything, by the most that each caller asked in one period of ${span(crowd.period_ms)} that begins at a whole multiple of it. A limit over any ${span(crowd.period_ms)} refuses some more.</p>
  </div>`;
}

const countOf = rate => Number(rate.split("/")[0]) || 1;

// ladder has every whole number while they are few, steps of about a tenth above,
// and the limit's own.
function ladder(own, peak) {
  const steps = new Set([own]);
  for (let n = 1; n <= 1.2 * Math.max(own, peak); n = n < 20 ? n + 1 : rounded(n * 1.1)) steps.add(n);
  steps.add(peak);
  return [...steps].sort((a, b) => a - b);
}

// rounded keeps two digits.
function rounded(n) {
  const unit = 10 ** (Math.floor(Math.log10(n)) - 1);
  return Math.ceil(n / unit) * unit;
}

function told(crowd, limit, period) {
  const sum = (peaks, what) => peaks.reduce((n, p) => n + p[what], 0);
  const above = crowd.peaks.filter(p => p.peak > limit), over = sum(above, "callers");
  const least = limit < crowd.complete_from ? "at least " : "";
  return `At ${number(limit)}/${period}: ${least}${number(over)} of ${plural(crowd.callers, "caller")} (${percent(over, crowd.callers)})${over > 0 ? `, who ask ${percent(sum(above, "asked"), sum(crowd.peaks, "asked"))} of ${crowd.exact ? "all requests" : "the requests of those who are known"}` : ""}`;
}

// Distribution has a bar for each step: the callers whose peak it is the first to admit.
function Distribution({steps, peaks, step}) {
  const bars = steps.map(() => 0);
  for (const p of peaks) bars[Math.max(0, steps.findIndex(s => s >= p.peak))] += p.callers;
  const most = Math.max(1, ...bars), width = wide / steps.length;
  return html`<svg class="bars" viewBox=${`0 0 ${wide} ${high}`} preserveAspectRatio="none" aria-hidden="true">
    ${bars.map((n, i) => n > 0 && html`<rect key=${i} class=${i > step ? "refused" : "allowed"} x=${i * width} width=${Math.max(1, width - 1)} y=${high - barOf(n, most)} height=${barOf(n, most)} />`)}
    <line x1=${(step + 1) * width} x2=${(step + 1) * width} y1="0" y2=${high} />
  </svg>`;
}

// barOf is on a scale on which one caller of a thousand still shows.
const barOf = (n, most) => high * Math.log1p(n) / Math.log1p(most);
