import { lessons } from "@kintsugi/story";
import { type Mode, playModes } from "../../../model/playground/play-mode.ts";
import type { Modes } from "../../../state/games/modes.ts";

const words: Readonly<Record<Mode, readonly [name: string, title: string]>> = {
  campaign: ["Campaign", "lessons in order: predict the outcome, watch it, and reach a goal"],
  sandbox: ["Sandbox", "any scenario, your own faults and timers"],
  race: ["Race", "two simultaneous runs of the same faults with different settings"],
  survive: ["Survive", "faults come faster and faster; the same seed for all players"],
};

/** The modes of play; a finished lesson counts for the campaign. */
export function ModeTabs({ modes: play }: { modes: Modes }) {
  const done = lessons.filter(({ id }) => play.play.done.value.has(id)).length;
  return (
    <nav class="modes" aria-label="Ways to play">
      {playModes.map((each) => (
        <button
          key={each}
          type="button"
          title={words[each][1]}
          aria-pressed={play.mode.value === each}
          disabled={play.playground.isBusy.value}
          onClick={() => play.choose(each)}
        >
          {words[each][0]}
          {each === "campaign" && (
            <small>
              {" "}
              {done} of {lessons.length}
            </small>
          )}
        </button>
      ))}
      <span class="muted">{words[play.mode.value][1]}</span>
    </nav>
  );
}
