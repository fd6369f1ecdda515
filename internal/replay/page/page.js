"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const report = data.report;
  const $ = id => document.getElementById(id);
  const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

  // percent has one digit, and is never 0.0% or 100.0% for a little more or less.
  function percent(part, whole) {
    if (!whole) return "0.0%";
    const tenths = Math.round(1000 * part / whole);
    if (part > 0 && tenths === 0) return "<0.1%";
    return `${((part < whole ? Math.min(tenths, 999) : tenths) / 10).toFixed(1)}%`;
  }

  function element(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }

  function drawn(name, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }

  // table fills one; columns are [title, "number" or "name"].
  function table(into, columns, rows) {
    const cell = (kind, text, i) => element(kind, {class: columns[i][1]}, String(text));
    into.replaceChildren(
      element("thead", {}, element("tr", {}, ...columns.map((c, i) => {
        const th = cell("th", c[0], i);
        th.setAttribute("scope", "col");
        return th;
      }))),
      element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map((text, i) => cell("td", text, i))))));
  }

  const time = (seconds, digits = 16) => new Date(1000 * seconds).toISOString().slice(0, digits).replace("T", " ");

  function head() {
    const span = `${plural(report.requests, "request")} from ${plural(report.callers, "caller")}`;
    const text = iso => iso.slice(0, 16).replace("T", " ");
    $("span").textContent = report.from ? `${span}, ${text(report.from)} to ${text(report.to)} UTC` : span;
    const total = (name, value, share) => element("div", {}, element("dt", {}, name),
      element("dd", {}, number(value), ...(share ? [element("small", {}, share)] : [])));
    $("totals").append(
      total("Requests", report.requests),
      total("Requests refused", report.refused, percent(report.refused, report.requests)),
      total("Callers", report.callers),
      total("Callers refused anything", report.callers_refused, percent(report.callers_refused, report.callers)));
    const notes = [];
    for (const f of report.files) {
      if (f.error) notes.push(`${f.name} was not read to its end: ${f.error}`);
    }
    if (report.rejoined) notes.push(`${plural(report.rejoined, "line")} put behind the one before, to which it belongs`);
    if (report.unparsed) notes.push(`${plural(report.unparsed, "line")} not understood`);
    if (report.late) notes.push(`${plural(report.late, "request")} too far out of order to sort, decided later than they came`);
    for (const d of report.denied) notes.push(`${plural(d.requests, "request")} denied without a limit: ${d.why}`);
    $("notes").append(...notes.map(text => element("li", {}, text)));
  }

  function limits() {
    table($("limits"), [["Layer", "name"], ["Limit", "name"], ["Requests", "number"], ["Refused", "number"], ["Share", "number"], ["Callers", "number"], ["Refused", "number"], ["Share", "number"]],
      report.layers.map((l, i) => l.limit === ""
        ? [l.layer, "no request met it", "", "", "", "", "", ""]
        : [l.layer, data.limits[i].label, number(l.requests), number(l.refused), percent(l.refused, l.requests),
          number(l.callers), number(l.callers_refused), percent(l.callers_refused, l.callers)]));
  }

  // Charts are drawn as wide as they are shown, so that their text keeps its size.
  const widthOf = into => Math.max(260, into.clientWidth);

  // The chart of a limit: shares by count, on a scale on which small ones show.
  const height = 260, left = 52, right = 16, top = 14, bottom = 34;
  const ticks = [0, 0.1, 1, 5, 10, 25, 50, 100];

  function curve(limit, chosen) {
    const width = widthOf($("curve"));
    const ladder = limit.ladder, last = ladder.length - 1;
    const shares = s => [s.callers_refused / limit.callers, s.refused / limit.requests];
    const most = Math.max(...ladder.map(s => Math.max(...shares(s)))) * 100;
    const ceiling = ticks.find(t => t >= most) || 1;
    const x = i => left + (width - left - right) * (last ? i / last : 0.5);
    const y = percent => top + (height - top - bottom) * (1 - Math.sqrt(percent / Math.max(ceiling, 1)));
    const svg = drawn("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Shares refused by count, from ${ladder[0].count}${limit.period} to ${ladder[last].count}${limit.period}`});
    for (const tick of ticks.filter(t => t <= Math.max(ceiling, 1) && t !== 0.1)) {
      svg.append(drawn("line", {class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick)}),
        drawn("text", {x: left - 8, y: y(tick) + 4, "text-anchor": "end"}, `${tick}%`));
    }
    const every = Math.ceil(ladder.length * 56 / (width - left - right));
    ladder.forEach((s, i) => {
      if (i % every === 0) svg.append(drawn("text", {x: x(i), y: height - 12, "text-anchor": "middle"}, number(s.count)));
    });
    const own = ladder.findIndex(s => s.count === limit.count);
    if (own >= 0) svg.append(drawn("line", {class: "own-line", x1: x(own), x2: x(own), y1: top, y2: height - bottom}));
    ["callers", "requests"].forEach((kind, k) => {
      svg.append(drawn("polyline", {class: `${kind}-line`, points: ladder.map((s, i) => `${x(i)},${y(100 * shares(s)[k])}`).join(" ")}));
    });
    svg.append(drawn("line", {class: "marker", x1: x(chosen), x2: x(chosen), y1: top, y2: height - bottom}));
    ["callers", "requests"].forEach((kind, k) => {
      svg.append(drawn("circle", {class: `dot ${kind}`, cx: x(chosen), cy: y(100 * shares(ladder[chosen])[k]), r: 6}));
    });
    $("curve").replaceChildren(svg);
  }

  // who lists the callers whom the chosen step of the ladder refuses.
  const listed = 20;
  function who(limit, chosen) {
    const step = limit.ladder[chosen];
    const refused = limit.heaviest.filter(c => chosen < c.refused.length)
      .sort((a, b) => b.refused[chosen] - a.refused[chosen]).slice(0, listed);
    table($("who"), [["Caller", "name"], ["Refused", "number"], ["Requests", "number"], ["Share", "number"], ["Never refused from", "number"]],
      refused.map(c => [c.caller, number(c.refused[chosen]), number(c.requests), percent(c.refused[chosen], c.requests),
        c.need === null ? "no count" : number(c.need) + limit.period]));
    $("who").hidden = refused.length === 0;
    const rest = step.callers_refused - refused.length;
    $("more").textContent = refused.length === 0 ? "Nobody." : rest > 0 ? `and ${plural(rest, "more caller")}` : "";
  }

  let limit;
  function show() {
    const chosen = Number($("count").value), step = limit.ladder[chosen];
    const text = `${number(step.count)}${limit.period}`;
    const verdict = `refuses anything to ${number(step.callers_refused)} of ${plural(limit.callers, "caller")} (${percent(step.callers_refused, limit.callers)}), and ${number(step.refused)} of ${plural(limit.requests, "request")} (${percent(step.refused, limit.requests)}).`;
    $("value").textContent = text;
    $("verdict").textContent = `${text} ${verdict}`;
    $("count").setAttribute("aria-valuetext", `${text} ${verdict}`);
    curve(limit, chosen);
    who(limit, chosen);
  }

  function choose(count) {
    const i = limit.ladder.findIndex(s => s.count >= count);
    $("count").value = i < 0 ? limit.ladder.length - 1 : i;
    show();
  }

  function suggestions() {
    const button = (share, count, of) => {
      const b = element("button", {type: "button"}, `${share} of ${of}: ${number(count)}${limit.period}`);
      b.title = `The lowest ${of === "callers" ? "limit" : "round limit"} that refuses ${of === "callers" ? "anything to " : ""}at most ${share} of ${of}`;
      b.addEventListener("click", () => choose(count));
      return b;
    };
    const all = [];
    for (const [of, suggested] of [["callers", limit.suggest], ["requests", limit.suggest_requests]]) {
      for (const share of ["0.1%", "1%", "5%"]) {
        if (suggested[share] !== null) all.push(button(share, suggested[share], of));
      }
    }
    const own = element("button", {type: "button"}, `as it is: ${number(limit.count)}${limit.period}`);
    own.addEventListener("click", () => choose(limit.count));
    $("suggestions").replaceChildren(own, element("span", {class: "quiet"}, "Refusing at most"), ...all);
  }

  function explorer() {
    const known = data.limits.filter(l => l.ladder.length > 0);
    if (known.length === 0) return;
    $("try").hidden = false;
    known.forEach((l, i) => $("which").append(element("option", {value: i}, `${l.layer}: ${l.label}`)));
    const pick = () => {
      limit = known[Number($("which").value)];
      $("count").max = limit.ladder.length - 1;
      suggestions();
      choose(limit.count);
    };
    $("which").addEventListener("change", pick);
    $("count").addEventListener("input", show);
    pick();
  }

  // bars draws columns, of which each is [label, all, refused].
  function bars(into, columns, label, labels) {
    const width = widthOf(into), h = 220, most = Math.max(1, ...columns.map(c => c[1]));
    const step = (width - left - right) / columns.length;
    const scale = n => (h - top - bottom) * n / most;
    const svg = drawn("svg", {viewBox: `0 0 ${width} ${h}`, role: "img", "aria-label": label});
    for (const part of [0, 0.5, 1]) {
      const value = Math.round(most * part), y = h - bottom - scale(value);
      svg.append(drawn("line", {class: "grid", x1: left, x2: width - right, y1: y, y2: y}),
        drawn("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, number(value)));
    }
    columns.forEach(([text, all, refused], i) => {
      const x = left + i * step, w = Math.max(0.5, step - Math.min(2, step / 4));
      const column = drawn("g", {}, drawn("title", {}, text));
      const part = (kind, n, from) => {
        if (n > 0) column.append(drawn("rect", {class: kind, x, width: w, y: h - bottom - scale(from + n), height: Math.max(1, scale(n))}));
      };
      part("bar", all - refused, 0);
      part("bar refused", refused, all - refused);
      svg.append(column);
    });
    labels.forEach(([i, text]) => {
      const x = left + (i + 0.5) * step;
      const anchor = x < left + 50 ? "start" : x > width - right - 50 ? "end" : "middle";
      svg.append(drawn("text", {x: anchor === "start" ? left : anchor === "end" ? width - right : x, y: h - 12, "text-anchor": anchor}, text));
    });
    into.replaceChildren(svg);
  }

  function span(seconds) {
    for (const [unit, name] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
      if (seconds >= unit) return plural(seconds / unit, name);
    }
    return plural(seconds, "second");
  }

  function overTime() {
    const chart = data.chart, n = chart.requests.length;
    $("time-section").hidden = n === 0;
    if (n === 0) return;
    const digits = chart.width < 60 ? 19 : 16;
    const at = i => time(chart.start + i * chart.width, digits);
    const columns = chart.requests.map((all, i) => [`${at(i)}: ${plural(all, "request")}, ${number(chart.refused[i])} refused`, all, chart.refused[i]]);
    const steps = widthOf($("time")) < 600 ? 1 : 3;
    const labels = n <= steps ? [[0, at(0)]] : [...Array(steps + 1).keys()].map(k => Math.round(k * (n - 1) / steps)).map(i => [i, at(i)]);
    bars($("time"), columns, `Requests over time, in steps of ${span(chart.width)}`, labels);
    $("time-caption").replaceChildren(element("span", {class: "key box admitted"}), "admitted ", element("span", {class: "key box refused"}),
      `refused, in steps of ${span(chart.width)}, UTC.`);
  }

  function peaks() {
    const p = report.peaks, all = p.histogram;
    $("peaks-section").hidden = all.length === 0;
    if (all.length === 0) return;
    $("peaks-text").textContent = `Half of the callers never sent more than ${number(p.p50)} in a minute, 90% ${number(p.p90)}, 99% ${number(p.p99)}, 99.9% ${number(p["p99.9"])}. The busiest sent ${number(p.max)}.`;
    const name = i => i > 0 && all[i].up_to - all[i - 1].up_to > 1 ? `${number(all[i - 1].up_to + 1)}–${number(all[i].up_to)}` : number(all[i].up_to);
    bars($("peaks"), all.map((b, i) => [`${name(i)} a minute: ${plural(b.callers, "caller")}`, b.callers, 0]),
      "Callers by their busiest minute",
      all.map((_, i) => [i, name(i)]).filter((_, i) => i % Math.ceil(all.length * 85 / widthOf($("peaks"))) === 0));
  }

  function tops() {
    const section = (into, title, columns, rows) => {
      if (rows.length === 0) return;
      const rowsOf = element("table");
      table(rowsOf, columns, rows);
      $(into).append(element("section", {}, element("h2", {}, title), element("div", {class: "scroll"}, rowsOf)));
    };
    section("top", "Most refused callers", [["Caller", "name"], ["Refused", "number"], ["Requests", "number"]],
      report.top_refused.map(c => [c.caller, number(c.refused), number(c.requests)]));
    section("top", "Most refused minutes", [["Minute (UTC)", ""], ["Refused", "number"], ["Requests", "number"]],
      report.top_minutes.map(m => [m.minute.slice(0, 16).replace("T", " "), number(m.refused), number(m.requests)]));
    section("routes", "Most refused routes", [["Route", "name"], ["Refused", "number"]],
      report.top_routes.map(r => [r.route.replace(" ", "\u00a0"), (r.over ? "about " : "") + number(r.refused)]));
    if (report.broken_lines.length > 0) {
      $("broken-section").hidden = false;
      table($("broken"), [["Log", "name"], ["Line", "number"], ["Begins", "name"]], report.broken_lines.map(l => [l.file, number(l.line), l.text]));
    }
  }

  head();
  limits();
  explorer();
  tops();
  const draw = () => {
    overTime();
    peaks();
    if (limit) show();
  };
  draw();
  addEventListener("resize", draw);
})();
