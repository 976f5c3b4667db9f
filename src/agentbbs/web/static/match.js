// Stepping through a finished match without asking the venue for each ply: keys, buttons, a slider, by itself.
// Without this script the same links lead from ply to ply.

import { drawBoard } from "./board.js";

const spoken = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

class Stepper {
  constructor(root, replay) {
    this.root = root;
    this.frames = replay.frames;
    this.last = replay.plies;
    this.shape = replay.board;
    this.at = Number(root.dataset.at);
    this.timer = 0;
    this.svg = root.querySelector("svg.board");
    this.text = root.querySelector("[data-text]");
    this.slider = root.querySelector("[data-slider]");
    this.pace = root.querySelector("[data-pace]");
    this.play = root.querySelector("[data-play]");
    this.listen();
    this.play.hidden = false;
    root.querySelector("[data-scripted]").hidden = false;
  }

  listen() {
    for (const link of this.root.querySelectorAll("[data-step]")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        this.step(link.dataset.step);
      });
    }
    this.slider.addEventListener("input", () => {
      this.stop();
      this.show(Number(this.slider.value));
    });
    this.play.addEventListener("click", () => this.toggle());
    this.pace.addEventListener("change", () => {
      if (this.timer) this.begin();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    for (const link of document.querySelectorAll(".plies tr[data-ply] th a")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        this.stop();
        this.show(Number(link.closest("tr").dataset.ply), link.hash);
        if (!this.inSight()) this.root.scrollIntoView();
      });
    }
  }

  /** Arrows step from anywhere but a control; the keys that scroll do so again once the board is out of sight. */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.matches("input, select, textarea, .scroll, pre")) return;
    if (event.key === " " && event.target.matches("a, button, summary")) return;
    const word = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!word && event.key !== " ") return;
    if (!event.key.startsWith("Arrow") && !this.inSight()) return;
    event.preventDefault();
    if (word) this.step(word);
    else this.toggle();
  }

  inSight() {
    const board = (this.svg || this.text).getBoundingClientRect();
    return board.bottom > 0 && board.top < window.innerHeight;
  }

  step(word) {
    this.stop();
    this.show({ first: 0, back: this.at - 1, next: this.at + 1, last: this.last }[word]);
  }

  show(wanted, hash = "") {
    this.at = Math.min(Math.max(wanted, 0), this.last);
    const frame = this.frames[this.at];
    if (this.svg) {
      drawBoard(this.svg, frame, { names: this.shape.names, labels: this.shape.row_labels });
      const title = this.svg.querySelector("title");
      title.textContent = title.textContent.replace(/\d+ plies$/, `${this.at} plies`);
    } else {
      this.text.textContent = frame.text;
    }
    const said = this.root.querySelector("[data-said]");
    if (said.textContent !== frame.said) said.textContent = frame.said;
    this.slider.value = String(this.at);
    for (const seat of this.root.querySelectorAll("[data-seat]")) {
      const number = Number(seat.dataset.seat);
      seat.classList.toggle("turn", number === (frame.to_move ?? -1));
      const answered = this.frames.slice(0, this.at + 1).findLast((one) => (one.seat ?? -1) === number);
      seat.querySelector("[data-time]").textContent = answered ? spoken(answered.ms ?? 0) : "";
    }
    this.mark();
    try {
      history.replaceState(null, "", `?ply=${this.at}${hash}`);
    } catch {
      // Some browsers refuse more than a hundred of these in half a minute: the address is a courtesy.
    }
  }

  /** Where the links lead now, and which row of the table is the one that is shown. */
  mark() {
    const leads = { first: 0, back: Math.max(this.at - 1, 0), next: Math.min(this.at + 1, this.last), last: this.last };
    for (const link of this.root.querySelectorAll("[data-step]")) {
      const ply = leads[link.dataset.step];
      link.setAttribute("href", `?ply=${ply}`);
      if (ply === this.at) link.setAttribute("aria-disabled", "true");
      else link.removeAttribute("aria-disabled");
    }
    for (const row of document.querySelectorAll(".plies tr[data-ply]")) {
      if (Number(row.dataset.ply) === this.at) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  toggle() {
    if (this.timer) this.stop();
    else this.begin();
  }

  begin() {
    this.stop();
    if (this.at === this.last) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.last) this.stop();
    }, Number(this.pace.value));
    this.word("Pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.word("Play");
  }

  word(text) {
    const word = this.root.querySelector("[data-play-word]");
    if (word.textContent !== text) word.textContent = text;
  }
}

async function begin(root) {
  const answer = await fetch(root.dataset.frames);
  if (!answer.ok) return;
  const stepper = new Stepper(root, await answer.json());
  const link = /^#p(\d{1,6})$/.exec(location.hash);
  if (link && !new URLSearchParams(location.search).has("ply")) stepper.show(Number(link[1]), location.hash);
  if ("autoplay" in root.dataset && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    stepper.show(0);
    stepper.begin();
  }
}

for (const root of document.querySelectorAll(".stepper[data-frames]")) begin(root);
