// Draws a position into the SVG that `web/drawing/board.py` made: the same marks, shape by shape.

const SVG = "http://www.w3.org/2000/svg";
const SEATS = { X: "x", O: "o" };

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function mark(sign, discs) {
  const seat = SEATS[sign];
  if (!seat) return [shape("text", { class: "letter", x: 50, y: 50, "font-size": 64 - 12 * [...sign].length }, sign)];
  if (discs) {
    return [
      shape("circle", { class: `disc-${seat}`, cx: 50, cy: 50, r: 40 }),
      seat === "x"
        ? shape("path", { class: "sign", d: "M37 37 63 63M63 37 37 63" })
        : shape("circle", { class: "sign", cx: 50, cy: 50, r: 15 }),
    ];
  }
  return [
    seat === "x"
      ? shape("path", { class: "mark-x", d: "M26 26 74 74M74 26 26 74" })
      : shape("circle", { class: "mark-o", cx: 50, cy: 50, r: 26 }),
  ];
}

/** The board in words, row by row from the top. */
function described(columns, cells, labels) {
  const rows = [];
  for (let row = 0; row * columns < cells.length; row += 1) {
    const marks = cells.slice(row * columns, (row + 1) * columns);
    const said = marks.some(Boolean) ? marks.map((sign) => sign || "empty").join(" ") : "empty";
    rows.push(`Row ${labels.length ? labels[row] : row + 1}: ${said}.`);
  }
  return rows.join(" ");
}

/** Show `position` ({cells, fresh, won}) in `svg`; `names` are those of the cells, `labels` of the rows, if there are any. */
export function drawBoard(svg, { cells, fresh = [], won = [] }, { names = [], labels = [] } = {}) {
  const columns = Number(svg.dataset.columns);
  const left = Number(svg.dataset.left);
  const side = Number(svg.dataset.cell);
  const marks = document.createDocumentFragment();
  cells.forEach((sign, at) => {
    const x = left + (at % columns) * side;
    const y = Math.floor(at / columns) * side;
    const isFresh = fresh.includes(at);
    if (isFresh) marks.append(shape("rect", { class: "last", x: x + 3, y: y + 3, width: 94, height: 94 }));
    if (sign) {
      const group = shape("g", { class: isFresh ? "fresh" : "kept", transform: `translate(${x} ${y})` });
      group.append(...mark(sign, svg.classList.contains("board-discs")));
      marks.append(group);
    } else if (names.length) {
      marks.append(shape("text", { class: "label", x: x + side / 2, y: y + side / 2, "font-size": 28 }, names[at]));
    }
    if (won.includes(at)) {
      marks.append(shape("rect", { class: "won", x: x + 5, y: y + 5, width: 90, height: 90, rx: 8 }));
    }
  });
  svg.querySelector(".marks").replaceChildren(marks);
  svg.querySelector("desc").textContent = described(columns, cells, labels);
}
