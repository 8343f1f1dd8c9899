import "./articles.css";
import { figures } from "./articles/figures.ts";

// The articles can be read without any program. A figure is a button until it is pressed; then the
// simulator is loaded, which is a hundred times as large as the page.

for (const place of document.querySelectorAll<HTMLElement>("figure[data-figure]")) {
  const figure = figures[place.dataset["figure"] ?? ""];
  if (figure === undefined) continue;
  const start = document.createElement("button");
  start.type = "button";
  start.textContent = `Live it: ${figure.title}`;
  start.addEventListener("click", () => {
    start.disabled = true;
    start.textContent = "The services are being loaded.";
    void import("./articles/live-figure.ts").then(({ openFigure }) => {
      start.remove();
      openFigure(place, figure);
    });
  });
  place.append(start);
}
