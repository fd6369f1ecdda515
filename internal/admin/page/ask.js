// What the page asks weir. The admin token is held here, in memory alone: a page
// that is loaded again asks for it again.

let token = "";

export const needsToken = document.documentElement.dataset.token === "needed";
export const hasToken = () => token !== "";
export const setToken = text => { token = text; };

// Refused is an answer that is none. Its message is weir's sentence.
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const headers = () => token ? {Authorization: `Bearer ${token}`} : {};

async function refusal(response) {
  const problem = await response.json().catch(() => ({}));
  return new Refused(response.status, problem.detail || `weir answered ${response.status}.`);
}

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, {cache: "no-store", headers: headers(), ...options});
  } catch {
    throw new Refused(0, "weir does not answer.");
  }
  if (!response.ok) throw await refusal(response);
  return response.json();
}

export const get = (path, query = {}) => answer(`${path}?${new URLSearchParams(query)}`);

export const post = (path, body) => answer(path, {method: "POST", body: JSON.stringify(body)});

let listening = null;
const restarted = new Error("restarted");

// restart ends the stream, so that whoever asked for it asks for another.
export function restart() { listening?.abort(restarted); }

// stream calls on(name, data) for each server-sent event, and returns when the
// stream ends, true where it is to be asked for again at once. It fails when it has
// been silent too long. EventSource could not send the token.
export async function stream(path, silence, on) {
  const quiet = listening = new AbortController();
  let timer = setTimeout(() => quiet.abort(), silence);
  try {
    const response = await fetch(path, {cache: "no-store", headers: headers(), signal: quiet.signal});
    if (!response.ok) throw await refusal(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return false;
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), silence);
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) on(...parsed(event));
    }
  } catch (error) {
    if (quiet.signal.reason === restarted) return true;
    throw error;
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

function parsed(event) {
  const [name, data] = event.split("\n");
  return [name.slice("event: ".length), JSON.parse(data.slice("data: ".length))];
}
