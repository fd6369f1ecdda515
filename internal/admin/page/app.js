// The dashboard of weir: what is limited now, by what, and why.

import {render} from "./vendor/preact.mjs";
import {get, hasToken, needsToken, setToken, stream} from "./ask.js";
import {Callers, choose, refresh} from "./callers.js";
import {Explain, byID} from "./explain.js";
import {field, html} from "./html.js";
import {Live} from "./limits.js";
import {addRefusal, addTick, begin, change, onChange, state} from "./state.js";
import {Status} from "./status.js";

const silence = 8000; // ms without an event, of which one comes each second
const patience = [500, 1000, 2000, 5000, 10000]; // ms before the next try
const between = 3000; // ms from one look at the callers to the next

function Page() {
  return html`
    <header>
      <h1>weir</h1>
      <p id="connection" role="status" class=${state.connection}>${said()}</p>
    </header>
    <main>
      ${state.connection === "locked"
        ? html`<${Token} />`
        : html`<${Status} /><${Live} choose=${choose} /><${Callers} /><${Explain} />`}
    </main>`;
}

function said() {
  switch (state.connection) {
    case "live": return "live";
    case "lost": return `Not connected. ${state.trouble} What is shown is old; trying again.`;
    case "locked": return "locked";
    default: return "connecting…";
  }
}

function Token() {
  const submit = e => {
    e.preventDefault();
    setToken(new FormData(e.target).get("token").trim());
    run();
  };
  return html`<section>
    <h2>The admin token</h2>
    <p>It is WEIR_ADMIN_TOKEN of the process. This page holds it until it is closed, and nowhere else.</p>
    <form id="token" class="controls" onSubmit=${submit}>
      ${field("Token", html`<input name="token" type="password" required autocomplete="current-password" />`, "grow")}
      <button>Open</button>
    </form>
    <p class="note" role="alert" hidden=${!state.trouble}>${state.trouble}</p>
  </section>`;
}

// run stays connected for as long as the page is open or until the token is wrong.
async function run() {
  change({connection: "connecting", trouble: ""});
  for (let failures = 0;; failures++) {
    try {
      const again = await connect(() => { failures = 0; });
      if (again) continue;
      change({connection: "lost", trouble: "The stream has ended."});
    } catch (error) {
      if (error.status === 401) return lock(error.message);
      change({connection: "lost", trouble: error.status ? error.message : "weir does not answer."});
    }
    await new Promise(resolve => setTimeout(resolve, patience[Math.min(failures, patience.length - 1)]));
  }
}

function lock(trouble) {
  setToken("");
  change({connection: "locked", trouble});
}

async function connect(succeeded) {
  const {session, config} = await get("v1/config");
  if (!state.explained) explainNamed();
  const key = config.clients?.key || "";
  change({session, header: key.startsWith("header:") ? key.slice("header:".length) : state.header});
  return stream(`v1/live?full=${state.full ? 1 : 0}`, silence, (name, data) => {
    succeeded();
    if (name === "history") {
      begin(data);
      change({connection: "live", trouble: ""});
      refresh().catch(() => {});
    }
    if (name === "tick") addTick(data);
    if (name === "refusal") addRefusal(data);
  });
}

function look() {
  if (state.connection === "live" && document.visibilityState === "visible") refresh().catch(() => {});
}

const explainNamed = () => location.hash.length > 1 && byID(decodeURIComponent(location.hash.slice(1)));

onChange(() => render(html`<${Page} />`, document.getElementById("page")));
setInterval(look, between);
addEventListener("hashchange", explainNamed);
if (needsToken && !hasToken()) lock("");
else run();
