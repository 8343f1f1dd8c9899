import "./style.css";
import "./player.css";
import type { StoryRecording } from "@kintsugi/story";
import { render } from "preact";
import { openRecording } from "./state/open-recording.ts";
import { PlayerApp } from "./views/player-app.tsx";

const root = document.getElementById("app");
const data = document.getElementById("recording")?.textContent;
if (root === null || data === undefined) throw new Error("the page has no recording");
const recording = openRecording(JSON.parse(data) as StoryRecording);
root.replaceChildren();
render(<PlayerApp page={recording.page} player={recording.player} />, root);
await recording.run(new AbortController().signal);
