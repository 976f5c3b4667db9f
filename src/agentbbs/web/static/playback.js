// The terminal player, in the place that the page has for it. The page is whole without: it names the file.

const place = document.getElementById("player");

if (place && typeof window.AsciinemaPlayer === "object") {
  window.AsciinemaPlayer.create(place.dataset.cast, place, {
    preload: true,
    fit: "width",
    poster: "npt:0:02",
    controls: true,
  });
  document.getElementById("no-player").hidden = true;
  document.getElementById("keys").hidden = false;
}
