import { type Goal, type Lesson, lessons, type Prediction } from "@kintsugi/story";
import { useSignal } from "@preact/signals";
import { countText, lengthText } from "../../model/words.ts";
import type { LessonPlay } from "../../state/lesson-play.ts";
import type { Playground } from "../../state/playground.ts";

interface LessonPanelProps {
  readonly playground: Playground;
  readonly play: LessonPlay;
}

/** The lessons, and the one that is played. */
export function LessonPanel({ playground, play }: LessonPanelProps) {
  const { value: lesson } = play.lesson;
  return (
    <nav class="levels" aria-label="Lessons">
      <ol>
        {lessons.map((each, index) => (
          <li key={each.id}>
            <button
              type="button"
              aria-pressed={each === lesson}
              disabled={playground.isBusy.value}
              onClick={() => play.begin(each)}
            >
              {index + 1}. {each.title}
              {play.done.value.has(each.id) && <span class="mended"> done</span>}
            </button>
          </li>
        ))}
      </ol>
      {lesson !== undefined && <Played key={lesson.id} playground={playground} play={play} lesson={lesson} />}
    </nav>
  );
}

function Played({ playground, play, lesson }: LessonPanelProps & { lesson: Lesson }) {
  const { guess, verdict } = play;
  return (
    <div class="question">
      <p>
        {lesson.question} <span class="muted">About {lesson.minutes} min.</span>
      </p>
      {guess.value === undefined ? (
        <PredictionForm
          prediction={lesson.prediction}
          isBusy={playground.isBusy.value}
          onPredict={(answer) => play.predict(answer)}
        />
      ) : (
        <p>
          You said: <strong>{answerText(lesson.prediction, guess.value)}</strong>.{" "}
          {verdict.value === undefined && (
            <button type="button" onClick={() => play.reveal()}>
              Show the end
            </button>
          )}
        </p>
      )}
      {verdict.value !== undefined && <Debrief play={play} lesson={lesson} />}
    </div>
  );
}

function answerText(prediction: Prediction, answer: number): string {
  return prediction.is === "choice" ? (prediction.options[answer] ?? "") : lengthText(answer * 1000);
}

interface PredictionFormProps {
  readonly prediction: Prediction;
  readonly isBusy: boolean;
  readonly onPredict: (answer: number) => void;
}

/** The answer comes before the life is seen. */
function PredictionForm({ prediction, isBusy, onPredict }: PredictionFormProps) {
  const answer = useSignal("");
  const isAnswered = answer.value !== "" && Number.isFinite(Number(answer.value)) && Number(answer.value) >= 0;
  return (
    <form
      class="prediction"
      aria-label="Prediction"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAnswered) onPredict(Number(answer.value));
      }}
    >
      {prediction.is === "choice" ? (
        <fieldset>
          <legend class="unseen">Your prediction</legend>
          {prediction.options.map((option, index) => (
            <label key={option}>
              <input
                type="radio"
                name="prediction"
                value={index}
                checked={answer.value === String(index)}
                onChange={() => (answer.value = String(index))}
              />
              {option}
            </label>
          ))}
        </fieldset>
      ) : (
        <label>
          Your prediction{" "}
          <input
            type="number"
            name="prediction"
            min={0}
            max={86_400}
            step={1}
            value={answer.value}
            onInput={(event) => (answer.value = event.currentTarget.value)}
          />{" "}
          seconds
        </label>
      )}
      <button type="submit" disabled={isBusy || !isAnswered}>
        Predict, then see
      </button>
    </form>
  );
}

function Debrief({ play, lesson }: { play: LessonPlay; lesson: Lesson }) {
  const { value: verdict } = play.verdict;
  const { value: guess } = play.guess;
  if (verdict === undefined || guess === undefined) return null;
  return (
    <>
      <p role="status" class={verdict.isRight ? "right" : "wrong"}>
        {verdict.isRight ? "You were right: " : "It was otherwise: "}
        {answerText(lesson.prediction, verdict.truth)}
        {lesson.prediction.is === "seconds" &&
          `, ${lengthText(Math.abs(verdict.truth - guess) * 1000)} from your guess`}
        .
      </p>
      <p>{lesson.debrief}</p>
      <details>
        <summary>The code that decided it</summary>
        <ul>
          {lesson.code.map(({ path, decides }) => (
            <li key={path}>
              <code>{path}</code> {decides}
            </li>
          ))}
        </ul>
      </details>
      {lesson.goal !== undefined && <GoalBox play={play} goal={lesson.goal} />}
    </>
  );
}

/** The goal is checked on each life that the learner makes of the lesson's. */
function GoalBox({ play, goal }: { play: LessonPlay; goal: Goal }) {
  const { goalState, hintsShown } = play;
  const { value: state } = goalState;
  const shown = goal.hints.slice(0, hintsShown.value);
  return (
    <section class="goal" aria-label="Goal">
      <p>
        <strong>Your turn.</strong> {goal.text} Change the timers below.
      </p>
      {state !== undefined && (
        <p role="status" class={state.isMet ? "right" : "muted"}>
          {state.isMet ? "The goal is met: " : "Not yet: "}
          degraded for {lengthText(state.degradedMs)} of at most {lengthText(goal.degradedMsMax)}, by{" "}
          {countText(state.changes, "change")} of at most {goal.changesMax}.
        </p>
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
