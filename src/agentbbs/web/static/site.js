// What every page has: times in the reader's zone, and buttons that copy.

const spoken = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Say each `<time>` of a part of the page in the reader's own zone; the exact moment stays as its title. */
export function localTimes(part = document) {
  for (const time of part.querySelectorAll("time[datetime]:not([title])")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = time.dateTime;
    time.textContent = spoken.format(moment);
  }
}

/** Give each `<pre data-copy>` a button that copies its text. */
function copyButtons() {
  if (!navigator.clipboard) return;
  for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const text = pre.textContent.trim();
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const frame = document.createElement("div");
    frame.className = "copied";
    pre.replaceWith(frame);
    frame.append(pre, button);
  }
}

localTimes();
copyButtons();
