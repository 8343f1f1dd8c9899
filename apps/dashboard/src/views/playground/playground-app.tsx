import type { Played, Playground } from "../../state/playground.ts";
import { lengthText } from "../../model/words.ts";
import { PlayerApp } from "../player-app.tsx";
import { LevelList } from "./level-list.tsx";
import { PlaygroundControls } from "./playground-controls.tsx";

/** A cluster of the real services in this tab, and what a viewer can do to it. */
export function PlaygroundApp({ playground }: { playground: Playground }) {
  const { played, refusal, isBusy } = playground;
  return (
    <>
      <section class="playground" aria-label="Playground">
        <LevelList playground={playground} />
        <PlaygroundControls playground={playground} />
        <p class={refusal.value === "" ? "muted" : "refusal"} role="status">
          {refusal.value || (isBusy.value ? "A cluster lives through it in this tab." : lifeText(played.value))}
        </p>
      </section>
      {played.value !== undefined && (
        <PlayerApp
          key={played.value.digest}
          page={played.value.recording.page}
          player={played.value.recording.player}
        />
      )}
    </>
  );
}

function lifeText(played: Played | undefined): string {
  if (played === undefined) return "Choose what happens.";
  const { fromMs, toMs } = played.recording.player.recording;
  const life = `${lengthText(toMs - fromMs)} of a cluster took ${lengthText(played.tookMs)} in this tab.`;
  if (played.failure !== undefined) return `${life} A promise was broken: ${played.failure}`;
  return `${life} The digest of its ${played.nodes.length} nodes' life is ${played.digest.slice(0, 12)}, wherever it is simulated.`;
}
