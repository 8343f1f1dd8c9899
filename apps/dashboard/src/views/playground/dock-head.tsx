import { lessons } from "@kintsugi/story";
import type { Signal } from "@preact/signals";
import type { Modes } from "../../state/games/modes.ts";

/** The visible part of the section that a narrow screen docks below the picture. */
interface Dock {
  /** The section is one line. */
  readonly isFolded: Signal<boolean>;
  /** The section has the ways to play and all lessons above the current lesson. */
  readonly isChoosing: Signal<boolean>;
}

/** The first line of the docked section; a wide screen shows the whole section without it. */
export function DockHead({ modes, dock: { isFolded, isChoosing } }: { modes: Modes; dock: Dock }) {
  const choose = () => {
    isChoosing.value = isFolded.value || !isChoosing.value;
    isFolded.value = false;
  };
  return (
    <div class="dock-head">
      <strong>{dockTitle(modes)}</strong>
      <button type="button" aria-expanded={isChoosing.value && !isFolded.value} onClick={choose}>
        Choose
      </button>
      <button type="button" aria-expanded={!isFolded.value} onClick={() => (isFolded.value = !isFolded.value)}>
        {isFolded.value ? "Show" : "Hide"}
      </button>
    </div>
  );
}

const modeNames = { sandbox: "Sandbox", race: "Race" } as const;

/** The title of the docked section: the lesson, or the way to play. */
function dockTitle({ mode, play, playground, survival }: Modes): string {
  const { value: lesson } = play.lesson;
  if (mode.value === "survive") return `Survive: seed ${survival.seed.value ?? ""}`;
  if (mode.value !== "campaign") return `${modeNames[mode.value]}: ${playground.request.value?.scenario ?? ""}`;
  return lesson === undefined ? "Campaign" : `${lessons.indexOf(lesson) + 1} of ${lessons.length}: ${lesson.title}`;
}
