import "./style.css";
import "./player.css";
import type { StoryRecording } from "@kintsugi/story";
import { render } from "preact";
import { openRecording } from "./state/open-recording.ts";
import { packedRecordings, unpackRecording } from "./data/packed-recordings.ts";
import { momentText, readMoment, withoutMoment, writeMoment } from "./model/moment.ts";
import { keepFocus } from "./views/keep-focus.ts";
import { RunChoice } from "./views/run-choice.tsx";
import { PlayerApp } from "./views/player-app.tsx";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for a player");
keepFocus(root, new AbortController().signal);
const data = document.getElementById("recording")?.textContent;
const packed = packedRecordings(document);
root.replaceChildren();
if (data !== undefined && data !== null) await play(root, JSON.parse(data) as StoryRecording);
else await playChosen(root);

async function play(place: HTMLElement, recorded: StoryRecording, stop = new AbortController().signal): Promise<void> {
  const recording = openRecording(recorded);
  const atMs = readMoment(location.hash);
  if (atMs !== undefined) recording.player.seek(recorded.fromMs + atMs);
  const linkAt = (timeMs: number) =>
    `${location.href.replace(/#.*$/, "")}${writeMoment(location.hash, momentText(timeMs - recorded.fromMs))}`;
  render(<PlayerApp page={recording.page} player={recording.player} linkAt={linkAt} />, place);
  await recording.run(stop);
}

/** The page's address names the recording; another address shows another recording. */
async function playChosen(place: HTMLElement): Promise<void> {
  const choice = document.createElement("nav");
  choice.setAttribute("aria-label", "Recorded runs");
  const stage = document.createElement("div");
  place.append(choice, stage);
  let stop = new AbortController();
  const show = async () => {
    const chosen = packed.find(({ name }) => name === withoutMoment(location.hash)) ?? packed[0];
    if (chosen === undefined) return;
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    render(<RunChoice recordings={packed} chosen={chosen.name} />, choice);
    const recording = await unpackRecording(chosen);
    if (signal.aborted) return;
    render(null, stage);
    await play(stage, recording, signal);
  };
  addEventListener("hashchange", () => {
    scrollTo(0, 0);
    void show();
  });
  await show();
}
