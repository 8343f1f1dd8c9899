import { checkText, type Goal } from "@kintsugi/story";
import { countText } from "../../model/words.ts";
import { settingOf, withSetting } from "../../model/playground/play-address.ts";
import { knobChoices, unchanged } from "../../model/playground/setting-words.ts";
import type { LessonPlay } from "../../state/lesson-play.ts";
import type { Playground } from "../../state/playground.ts";
import { ChoiceList } from "./choice-list.tsx";

interface GoalBoxProps {
  readonly play: LessonPlay;
  readonly playground: Playground;
  readonly goal: Goal;
}

/**
 * The goal with the settings that may be changed; it is checked on each run that the learner
 * makes.
 */
export function GoalBox({ play, playground, goal }: GoalBoxProps) {
  const { goalState, hintsShown } = play;
  const { value: state } = goalState;
  const shown = goal.hints.slice(0, hintsShown.value);
  return (
    <section class="goal" aria-label="Goal">
      <p>
        <strong>Your turn.</strong> {goal.text}
      </p>
      <Knobs playground={playground} goal={goal} />
      {state !== undefined && (
        <div role="status" class={state.isMet ? "right" : "muted"}>
          {state.because === undefined ? (state.isMet ? "The goal is met. " : "Not yet. ") : `${state.because}. `}
          {state.checks.map((each) => `${checkText(each)}; `)}
          {countText(state.changes, "change")} of at most {goal.changesMax}.
        </div>
      )}
      <ol>
        {shown.map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
      </ol>
      {shown.length < goal.hints.length && (
        <button type="button" onClick={() => (hintsShown.value += 1)}>
          Hint {shown.length + 1} of {goal.hints.length}
        </button>
      )}
    </section>
  );
}

function Knobs({ playground, goal }: Omit<GoalBoxProps, "play">) {
  const { value: run } = playground.request;
  if (run === undefined) return null;
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {goal.knobs.map((knob) => (
        <ChoiceList
          key={knob.setting}
          label={knob.label}
          value={settingOf(run, knob.setting) ?? unchanged}
          choices={knobChoices(knob)}
          isBusy={playground.isBusy.value}
          onChange={(value) => playground.change(withSetting(run, knob.setting, value || undefined))}
        />
      ))}
    </form>
  );
}
