// What is on just now, asked for again every few seconds while somebody looks.

const EVERY_MS = 4000;
const MOST_MS = 60000;

const now = document.getElementById("now");
const waiting = document.getElementById("waiting");

let etag = "";
let pause = EVERY_MS;
let timer;

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function player(of, className) {
  return element("span", className, `${of.mark} ${of.name}`);
}

function matchRow(match) {
  const link = element("a", "", player(match.players[0], "seat-x"), " against ", player(match.players[1], "seat-o"));
  link.href = match.href;
  const ply = element("span");
  ply.dataset.ply = "";
  const made = element("li", "", link, " ", element("span", "muted", `${match.title}, ply `, ply, match.rated ? "" : ", not rated"));
  made.dataset.id = match.id;
  return made;
}

function agentRow(agent) {
  const link = element("a", "", agent.name);
  link.href = `/agents/${encodeURIComponent(agent.name)}`;
  return element("li", "", link, " ", element("span", "muted", `(${agent.rating}) for ${agent.title}`));
}

function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** Show `matches` in their lists. A row that is there already stays the same element, so that it keeps the focus. */
function showMatches({ matches, total }) {
  const kept = new Map([...now.querySelectorAll("[data-id]")].map((row) => [row.dataset.id, row]));
  let from = 0;
  for (const list of now.querySelectorAll("[data-rows]")) {
    const shown = matches.slice(from, from + Number(list.dataset.rows));
    from += Number(list.dataset.rows);
    shown.forEach((match, at) => {
      const row = kept.get(match.id) ?? matchRow(match);
      kept.delete(match.id);
      setText(row.querySelector("[data-ply]"), String(match.ply));
      if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null);
    });
  }
  for (const row of kept.values()) row.remove();
  now.querySelector("[data-none]").hidden = matches.length > 0;
  const rest = now.querySelector("[data-rest]");
  if (rest) rest.hidden = !rest.querySelector("li");
  now.querySelector("[data-more]").hidden = total <= from;
  setText(now.querySelector("[data-total]"), total.toLocaleString("en"));
}

function showWaiting(agents, total) {
  const list = waiting.querySelector("[data-rows]");
  const most = Number(list.dataset.rows);
  const rows = agents.slice(0, most).map(agentRow);
  const said = (row) => row.textContent.trim();
  if ([...list.children].map(said).join("\n") !== rows.map(said).join("\n")) list.replaceChildren(...rows);
  waiting.querySelector("[data-none]").hidden = total > 0;
  waiting.querySelector("[data-more]").hidden = total <= most;
  setText(waiting.querySelector("[data-total]"), total.toLocaleString("en"));
}

async function look() {
  const answer = await fetch(now.dataset.now, { cache: "no-store", headers: etag ? { "If-None-Match": etag } : {} });
  if (answer.status === 304) return;
  if (!answer.ok) throw new Error(String(answer.status));
  const found = await answer.json();
  etag = answer.headers.get("ETag") ?? "";
  showMatches(found);
  if (waiting) showWaiting(found.waiting, found.waiting_total);
}

async function lookAgain() {
  try {
    await look();
    pause = EVERY_MS;
  } catch {
    pause = Math.min(2 * pause, MOST_MS);
  }
  if (!document.hidden) later();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(lookAgain, pause);
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden) lookAgain();
});
if (!document.hidden) later();
