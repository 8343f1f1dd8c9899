import { runPicture, type PicturedRun, type PlayAnswer, type StoryRecording } from "@kintsugi/story";
import { runClockText } from "../model/playground/run-clock.ts";
import { writePlayAddress } from "../model/playground/play-address.ts";
import { type ArticleFigure, requestAt } from "./figures.ts";
import { simulateInTab } from "./simulator.ts";

/** A reader is interested in the turning points, not in every probe. */
const stepsMax = 14;

/**
 * Opens a figure in its place: its knob, the picture of its run, and its steps with their times.
 */
export function openFigure(place: HTMLElement, figure: ArticleFigure): void {
  const picture = new Image();
  picture.alt = "";
  // A narrow screen scrolls the picture, whose words would be unreadable at the screen's width.
  const frame = element("div", { class: "picture", role: "region", tabindex: "0", "aria-label": "Picture of the run" });
  frame.hidden = true;
  frame.append(picture);
  const said = element("p", { role: "status" });
  const progress = element("progress", { "aria-label": "The run is simulated" });
  const steps = element("ol", {});
  const link = element("a", {});
  link.textContent = "Open this run in the playground";
  let wanted = 0;

  const show = async (index: number): Promise<void> => {
    wanted = index;
    const request = requestAt(figure, index);
    link.href = `../index.html${writePlayAddress(request)}`;
    said.textContent = "A cluster runs in this tab.";
    place.setAttribute("aria-busy", "true");
    // The share is unknown until the worker has loaded its program.
    progress.removeAttribute("value");
    said.after(progress);
    const answer = await simulateInTab(request, (part) => {
      if (wanted === index) progress.value = part;
    });
    // If the knob was turned in the meantime, another answer follows.
    if (wanted !== index) return;
    progress.remove();
    place.removeAttribute("aria-busy");
    if (answer.is !== "played") {
      said.textContent = answer.is === "refused" ? answer.because : "There is no answer.";
      return;
    }
    const { recording } = answer;
    if (figure.workload !== undefined) {
      draw(picture, { recording, workload: figure.workload, title: figure.title });
      frame.hidden = false;
    }
    said.textContent = runText(answer);
    steps.replaceChildren(...stepsOf(recording, figure).map((text) => textElement("li", text)));
  };

  place.append(...knobOf(figure, (index) => void show(index)), said, frame, steps, link);
  void show(0);
}

function draw(picture: HTMLImageElement, run: PicturedRun): void {
  const svg = runPicture(run);
  picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  picture.alt = /aria-label="([^"]*)"/.exec(svg)?.[1] ?? run.title;
}

function runText({ recording, tookMs }: Extract<PlayAnswer, { is: "played" }>): string {
  const minutes = Math.round((recording.toMs - recording.fromMs) / 60_000);
  return `${minutes} minutes of a cluster took ${(tookMs / 1000).toFixed(1)} s in this tab.`;
}

/** The slider over the values of a knob. */
function knobOf({ knob }: ArticleFigure, onTurn: (index: number) => void): HTMLElement[] {
  if (knob === undefined) return [];
  const label = textElement("label", `${knob.label} `);
  const range = element("input", {
    type: "range",
    min: "0",
    max: String(knob.values.length - 1),
    step: "1",
    value: "0",
  });
  const output = textElement("output", knob.values[0]?.[1] ?? "");
  const words = () => knob.values[Number(range.value)]?.[1] ?? "";
  range.setAttribute("aria-valuetext", words());
  range.addEventListener("input", () => {
    output.textContent = words();
    range.setAttribute("aria-valuetext", words());
  });
  range.addEventListener("change", () => onTurn(Number(range.value)));
  label.append(range, " ", output);
  return [label];
}

function stepsOf({ captions, steps, fromMs }: StoryRecording, { steps: pattern, pod }: ArticleFigure): string[] {
  const lines =
    pattern === undefined
      ? captions
      : steps
          .filter(({ name }) => pod === undefined || name === pod)
          .map(({ timeMs, name, what, detail }) => ({ atMs: timeMs, text: `${name}: ${what} ${detail}` }))
          .filter(({ text }) => pattern.test(text.replace(/^[^:]*: /, "")));
  return lines.slice(0, stepsMax).map(({ atMs, text }) => `${runClockText(Math.max(0, atMs - fromMs))} ${text}`);
}

function textElement<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text: string): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
