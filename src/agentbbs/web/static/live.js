// A match that is on: draws each position as it comes, runs the mover's clock, and says how it ended.

import { drawBoard } from "./board.js";

const NOBODY = -1;
const MAX_ROWS = 200;
const TICK_MS = 100;

const live = document.getElementById("live");
const board = document.getElementById("board");
const said = document.getElementById("said");
const link = document.getElementById("link");
const rows = document.getElementById("rows");
const seats = [...live.querySelectorAll("[data-seat]")];
const players = seats.map((seat) => seat.firstChild.textContent.trim());
const colours = seats.map((seat) => seat.classList[0]);

let shown = Number(live.dataset.ply);
let mover = seats.findIndex((seat) => seat.classList.contains("turn"));
let due = performance.now() + Number(live.dataset.remainingMs);

/** A time on a clock, as the pages write it. */
function seconds(ms) {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Say something to those who listen, and only if it is news. */
function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

function connection(text, isLive) {
  link.textContent = text;
  link.classList.toggle("live", isLive);
}

function tick() {
  seats.forEach((seat, number) => {
    const left = Math.max(0, Math.round((due - performance.now()) / 100) * 100);
    const clock = number === mover ? `${(left / 1000).toFixed(1)} s` : "";
    const place = seat.querySelector("[data-clock]");
    if (place.textContent !== clock) place.textContent = clock;
  });
}

function strikeLine(strike) {
  let text = `strike: ${strike.kind} after ${seconds(strike.ms)}`;
  if (strike.offered !== null) text += `, offered “${strike.offered}”`;
  if (strike.detail !== null) text += `: ${strike.detail}`;
  const line = element("li", "bad", text);
  if (strike.reason !== null) line.append(element("blockquote", "", strike.reason));
  return line;
}

function words(strikes, reason) {
  const cell = element("td");
  if (strikes.length) {
    const list = element("ul");
    list.append(...strikes.map(strikeLine));
    cell.append(list);
  }
  if (reason !== null) cell.append(element("blockquote", "", reason));
  return cell;
}

function row(number, seat, cells) {
  const made = element("tr");
  const head = element("th", "num", String(number));
  head.scope = "row";
  made.append(head, element("td", colours[seat], players[seat]), ...cells);
  return made;
}

function played(state) {
  const strikes = state.strikes.filter((strike) => strike.ply === state.ply - 1);
  const cells = [element("td", "mono", state.move), element("td", "num", seconds(state.ms)), words(strikes, state.reason)];
  return row(state.ply, state.seat, cells);
}

function waiting(state) {
  const strikes = state.strikes.filter((strike) => strike.ply === state.ply);
  const move = element("td", "muted", "is to move");
  move.colSpan = 2;
  const made = row(state.ply + 1, state.to_move, [move, words(strikes, null)]);
  made.dataset.waiting = "";
  return made;
}

function unseen(count) {
  const made = element("tr");
  const cell = element("td", "muted", `${count} plies were missed: they are shown once the match is over`);
  cell.colSpan = 5;
  made.append(cell);
  return made;
}

function list(state) {
  rows.querySelector("[data-waiting]")?.remove();
  if (state.ply > shown) {
    if (state.ply > shown + 1) rows.prepend(unseen(state.ply - shown - 1));
    rows.prepend(played(state));
    shown = state.ply;
  }
  if (state.to_move !== NOBODY) rows.prepend(waiting(state));
  while (rows.children.length > MAX_ROWS) rows.lastElementChild.remove();
}

function draw(state) {
  if (state.scene === null) board.textContent = state.text;
  else if (board instanceof SVGElement) drawBoard(board, state.scene, { names: state.scene.names, labels: state.scene.row_labels });
  else location.reload();
}

function onState(event) {
  const state = JSON.parse(event.data);
  if (state.ply < shown) return;
  draw(state);
  list(state);
  mover = state.to_move;
  due = performance.now() + state.remaining_ms;
  seats.forEach((seat, number) => {
    seat.classList.toggle("turn", number === mover);
    const strikes = state.strikes.filter((strike) => strike.seat === number).length;
    const place = live.querySelector(`[data-strikes="${number}"]`);
    place.textContent = strikes ? String(strikes) : "none";
    place.classList.toggle("bad", strikes > 0);
  });
  tick();
  const told = [];
  if (state.seat !== null) told.push(`${players[state.seat]} played ${state.move} after ${seconds(state.ms)}.`);
  const last = state.strikes.at(-1);
  if (last && last.ply === state.ply) told.push(`A strike of ${players[last.seat]}: ${last.kind}.`);
  if (mover !== NOBODY) told.push(`${players[mover]} is to move.`);
  say(told.join(" "));
}

function onOver(event) {
  const over = JSON.parse(event.data);
  source.close();
  clearInterval(clock);
  mover = NOBODY;
  tick();
  for (const seat of seats) seat.classList.remove("turn");
  rows.querySelector("[data-waiting]")?.remove();
  connection("over", false);
  say(`The match is over. ${over.outcome}`);
  const after = document.getElementById("after");
  after.querySelector("a").href = over.href;
  after.hidden = false;
}

const clock = setInterval(tick, TICK_MS);
const source = new EventSource(`${live.dataset.events}?after=${shown}`);
source.addEventListener("open", () => connection("live", true));
source.addEventListener("error", () => {
  connection(source.readyState === EventSource.CLOSED ? "no longer live: load the page again" : "reconnecting", false);
});
source.addEventListener("state", onState);
source.addEventListener("over", onOver);
tick();
