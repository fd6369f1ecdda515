// The stacked chart of what was decided, second by second.

import {Component} from "./vendor/preact.mjs";
import {html} from "./html.js";
import {bounds, state} from "./state.js";
import {clock, number} from "./text.js";

const height = 220;

// From the bottom up.
const layers = [
  {name: "allowed", colour: "--water", of: t => t.allowed},
  {name: "refused", colour: "--wall", of: t => t.refused + t.denied},
  {name: "errors", colour: "--fault", of: t => t.errors},
];

export class Chart extends Component {
  state = {at: null};

  componentDidMount() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", this.build);
    this.resized = new ResizeObserver(() => this.plot?.setSize({width: this.width(), height}));
    this.resized.observe(this.box);
    this.build();
  }

  componentDidUpdate() { this.plot?.setData(stacked(state.ticks)); }

  componentWillUnmount() {
    this.dark.removeEventListener("change", this.build);
    this.resized.disconnect();
    this.plot.destroy();
  }

  width() { return Math.max(200, this.box.clientWidth); }

  build = () => {
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), stacked(state.ticks), this.box);
  };

  options() {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const axis = {stroke: colour("--quiet"), grid: {stroke: colour("--line"), width: 1}, ticks: {show: false}, font: "12px system-ui, sans-serif"};
    return {
      width: this.width(), height,
      legend: {show: false},
      cursor: {y: false, points: {show: false}, drag: {setScale: false, x: false, y: false}},
      hooks: {setCursor: [plot => this.point(plot.cursor.idx)]},
      scales: {x: {range: () => lastMinutes()}, y: {range: (_, low, high) => [0, Math.max(1, high * 1.05)]}},
      axes: [
        {...axis, size: 28, space: 70, values: (_, seconds) => seconds.map(s => clock(1000 * s))},
        {...axis, size: 48, space: 35, values: (_, counts) => counts.map(n => Number.isInteger(n) ? number(n) : "")},
      ],
      series: [
        {},
        ...layers.toReversed().map(l => ({stroke: colour(l.colour), fill: colour(l.colour), width: 1, points: {show: false}, paths: uPlot.paths.stepped({align: -1})})),
        {stroke: colour("--ink"), width: 1.5, dash: [4, 3], points: {show: false}, paths: uPlot.paths.stepped({align: -1})},
      ],
    };
  }

  point(index) {
    const at = index === null ? null : state.ticks[Math.max(0, index - 1)]?.at_ms ?? null;
    if (at !== this.state.at) this.setState({at});
  }

  render() {
    const t = state.ticks.find(t => t.at_ms === this.state.at) || state.ticks.at(-1);
    return html`<figure>
      <div id="chart" role="img" aria-label=${`Decisions in each second. ${said(t)}`} ref=${e => { this.box = e; }}></div>
      <figcaption>
        <span class="key allowed"></span>allowed <span class="key refused"></span>refused or denied <span class="key errors"></span>errors <span class="key dashed"></span>refused in shadow
        <span id="point">${said(t)}</span>
      </figcaption>
    </figure>`;
  }
}

// lastMinutes grows from one minute to as much as there ever is.
function lastMinutes() {
  const end = (state.ticks.at(-1)?.at_ms ?? Date.now()) / 1000;
  const begin = (state.ticks[0]?.at_ms ?? Date.now()) / 1000;
  return [Math.max(end - bounds.ticks, Math.min(begin - 1, end - 60)), end];
}

function said(t) {
  return t ? `${clock(t.at_ms)}: ${number(t.allowed)} allowed, ${number(t.refused + t.denied)} refused, ${number(t.errors)} errors, ${number(t.shadow_refused)} in shadow` : "Nothing yet.";
}

// stacked has the highest pile first, so that the lower ones are drawn over it. A
// second is drawn from the tick before to its own: the first has one put before it.
function stacked(all) {
  const ticks = all.length > 0 ? [{...all[0], at_ms: all[0].at_ms - 1000}, ...all] : [];
  const piles = layers.map(() => []);
  for (const t of ticks) {
    let sum = 0;
    layers.forEach((l, i) => piles[i].push(sum += l.of(t)));
  }
  return [ticks.map(t => t.at_ms / 1000), ...piles.toReversed(), ticks.map(t => t.shadow_refused)];
}
