import type { Modes } from "../../state/games/modes.ts";
import type { Played, Playground } from "../../state/playground.ts";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { runFailureText } from "../../model/playground/run-failure-text.ts";
import { lengthText } from "../../model/words.ts";
import { isNarrow, keepPictureInView } from "../keep-picture-in-view.ts";
import { Lazy } from "../lazy.tsx";
import { PlayerApp } from "../player-app.tsx";
import { DockHead } from "./dock-head.tsx";
import { ModeTabs } from "./games/mode-tabs.tsx";
import { RacePanel } from "./games/race-panel.tsx";
import { SurvivePanel } from "./games/survive-panel.tsx";
import { LessonPanel } from "./lesson-panel.tsx";
import { PlaygroundControls } from "./playground-controls.tsx";

interface PlaygroundAppProps {
  readonly modes: Modes;
  /** The address of the shown run, with a moment. */
  readonly addressAt: (atMs: number) => string;
}

/** A cluster of the real services in this tab, and the possible actions of a viewer. */
export function PlaygroundApp({ modes, addressAt }: PlaygroundAppProps) {
  const { playground, play, race } = modes;
  const { value: mode } = modes.mode;
  const { played, refusal, isBusy, simulated } = playground;
  const dock = { isFolded: useSignal(false), isChoosing: useSignal(false) };
  const { isFolded, isChoosing } = dock;
  const section = useRef<HTMLElement>(null);
  // The question of a lesson that was chosen is below the list, so the list closes.
  useSignalEffect(() => {
    if (play.lesson.value === undefined) return;
    isChoosing.value = false;
    section.current?.scrollTo({ top: 0 });
  });
  useSignalEffect(() => {
    if (isWatched(modes) && isNarrow()) keepPictureInView();
  });
  const classes = [
    "playground",
    // Two runs need the whole width to be compared.
    ...(mode === "race" ? [] : ["aside"]),
    ...(isFolded.value ? ["folded"] : []),
    ...(isChoosing.value ? ["choosing"] : []),
    ...(isWatched(modes) ? ["watching"] : []),
  ];
  return (
    <>
      <Head />
      <section
        ref={section}
        class={classes.join(" ")}
        aria-label="Playground"
        role={played.value === undefined ? "main" : "region"}
      >
        <DockHead modes={modes} dock={dock} />
        <ModeTabs modes={modes} />
        {mode === "campaign" && <LessonPanel playground={playground} play={play} />}
        {mode === "survive" && <SurvivePanel modes={modes} />}
        {(mode === "sandbox" || mode === "race") && <PlaygroundControls playground={playground} />}
        {mode === "race" && <RacePanel playground={playground} race={race} />}
        <KubectlEntry playground={playground} />
        <Articles />
        {isBusy.value && <progress aria-label="The run is simulated" value={simulated.value} />}
        <p class={refusal.value === "" ? "muted" : "refusal"} role="status">
          {refusal.value || (isBusy.value ? "A cluster runs in this tab." : runText(played.value))}
        </p>
      </section>
      {played.value !== undefined && (
        <div class="run">
          <PlayerApp
            key={played.value.digest}
            page={played.value.recording.page}
            player={played.value.recording.player}
            linkAt={(atMs) => linkTo(playground, addressAt, atMs)}
            isPart
          />
        </div>
      )}
    </>
  );
}

function Head() {
  return (
    <header class="top">
      <h1>
        <span class="mark" aria-hidden="true" /> Kintsugi <small>the playground</small>
      </h1>
      <p class="muted">
        Break a cluster and watch it mend itself
        <span class="more">
          : Kubernetes' API server, scheduler, controllers and kubelets, the real services of Kintsugi, live in this tab
        </span>
        .
      </p>
    </header>
  );
}

/** The run plays, and a narrow screen needs its room. A race is in the section itself. */
function isWatched({ mode, play, playground }: Modes): boolean {
  if (mode.value === "campaign") return play.isWatching.value;
  return mode.value !== "race" && playground.played.value?.recording.player.isPlaying.value === true;
}

function Articles() {
  return (
    <p class="muted articles">
      Four articles, alive: <a href="articles/kubelet.html">a crash</a>,{" "}
      <a href="articles/minion.html">three containers instead of two</a>,{" "}
      <a href="articles/restartable-pods.html">restartable pods</a>,{" "}
      <a href="articles/node-offline.html">a node goes offline</a>.
    </p>
  );
}

/** The address of a time of the shown run. */
function linkTo({ played }: Playground, addressAt: (atMs: number) => string, timeMs: number): string {
  const fromMs = played.value?.recording.player.recording.fromMs ?? 0;
  return `${location.href.replace(/#.*$/, "")}${addressAt(timeMs - fromMs)}`;
}

/** The program of the bar is loaded when the bar is first opened. */
const loadKubectlBar = () => import("./kubectl/kubectl-bar.tsx").then(({ KubectlBar }) => KubectlBar);

function KubectlEntry({ playground }: { playground: Playground }) {
  const isOpen = useSignal(false);
  return (
    <div class="filters">
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {isOpen.value ? "Close kubectl" : "Open kubectl"}
      </button>
      {isOpen.value && <Lazy isWanted load={loadKubectlBar} props={{ playground }} />}
    </div>
  );
}

function runText(played: Played | undefined): string {
  if (played === undefined) return "Choose what happens.";
  const { fromMs, toMs } = played.recording.player.recording;
  const length = `${lengthText(toMs - fromMs)} of a cluster`;
  const run = played.isPrepared
    ? `${length}, simulated when this page was built; each change of it is simulated in this tab.`
    : `${length} took ${lengthText(played.tookMs)} in this tab.`;
  if (played.failure !== undefined) return `${run} An invariant was violated: ${runFailureText(played.failure)}`;
  return `${run} The digest of the run with ${played.nodes.length} nodes is ${played.digest.slice(0, 12)} on every machine.`;
}
