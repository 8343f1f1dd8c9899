import "./style.css";
import "./player.css";
import "./playground.css";
import { lessons } from "@kintsugi/story";
import { render } from "preact";
import { readPlayAddress, writePlayAddress } from "./model/playground/play-address.ts";
import { createLessonPlay, type ProgressStorage } from "./state/lesson-play.ts";
import { createPlayground } from "./state/playground.ts";
import { PlaygroundApp } from "./views/playground/playground-app.tsx";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for its content");
// The program of the worker is bundled by itself, and stands beside this page.
const worker = new Worker(new URL("simulator.js", document.baseURI), { type: "module" });
const playground = createPlayground(worker, (request) => history.replaceState(null, "", writePlayAddress(request)));
const play = createLessonPlay(playground, storageOfTab());
addEventListener("hashchange", () => playground.play(readPlayAddress(location.hash)));
root.replaceChildren();
render(<PlaygroundApp playground={playground} play={play} />, root);
if (location.hash === "" && lessons[0] !== undefined) play.begin(lessons[0]);
else playground.play(readPlayAddress(location.hash));

/** A tab that may keep nothing plays lessons all the same. */
function storageOfTab(): ProgressStorage {
  try {
    return localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}
