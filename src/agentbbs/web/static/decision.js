// Decisions by the keyboard: `,` and `.` go to the one before and the one after.

const WAYS = { ",": "prev", ".": "next" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const link = document.querySelector(`main a[rel="${WAYS[event.key]}"]`);
  if (link) link.click();
});
