import { answerText, type Lesson, lessons, type Prediction, type StoryRecording } from "@kintsugi/story";
import { useSignal } from "@preact/signals";
import { lengthText } from "../../model/words.ts";
import { CommandLine } from "../detail/command-line.tsx";
import type { LessonPlay } from "../../state/lesson-play.ts";
import type { Playground } from "../../state/playground.ts";
import { GoalBox } from "./goal-box.tsx";
import { MarkInput, MarkStrip } from "./mark-strip.tsx";

interface LessonPanelProps {
  readonly playground: Playground;
  readonly play: LessonPlay;
}

/** The lesson in progress, and the lessons by chapter. */
export function LessonPanel({ playground, play }: LessonPanelProps) {
  const { value: lesson } = play.lesson;
  const chapters = [...new Set(lessons.map(({ chapter }) => chapter))];
  return (
    <nav class="levels" aria-label="Lessons">
      {lesson !== undefined && <Played key={lesson.id} playground={playground} play={play} lesson={lesson} />}
      {chapters.map((chapter) => (
        <Chapter key={chapter} name={chapter} playground={playground} play={play} />
      ))}
    </nav>
  );
}

function Chapter({ name, playground, play }: LessonPanelProps & { name: string }) {
  const { value: lesson } = play.lesson;
  const own = lessons.filter(({ chapter }) => chapter === name);
  const done = own.filter(({ id }) => play.done.value.has(id)).length;
  return (
    // Chapters with the same name form an accordion: one is open at a time.
    <details name="chapter" open={lesson?.chapter === name}>
      <summary>
        {name} <span class="muted">{done === 0 ? own.length : `${done} of ${own.length} done`}</span>
      </summary>
      <ol>
        {own.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              aria-pressed={each === lesson}
              disabled={playground.isBusy.value}
              onClick={() => play.begin(each)}
            >
              {lessons.indexOf(each) + 1}. {each.title}
              {play.done.value.has(each.id) && <span class="mended"> done</span>}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Played({ playground, play, lesson }: LessonPanelProps & { lesson: Lesson }) {
  const { guess, verdict } = play;
  return (
    <div class="question">
      <h2>
        {lessons.indexOf(lesson) + 1}. {lesson.title}
      </h2>
      <p>
        {lesson.question} <span class="muted">The lesson takes about {lesson.minutes} min.</span>
      </p>
      {guess.value === undefined ? (
        <PredictionForm
          prediction={lesson.prediction}
          // While the lesson's run is simulated, the page shows the previous run, on which a mark
          // would be wrong.
          run={playground.isBusy.value ? undefined : playground.played.value?.recording.player.recording}
          isBusy={playground.isBusy.value}
          onPredict={(answer) => play.predict(answer)}
        />
      ) : (
        <p>
          You said: <strong>{answerText(lesson.prediction, guess.value)}</strong>.{" "}
          {verdict.value === undefined && lesson.subject.is === "rehearsal" && playground.refusal.value === "" && (
            <progress aria-label="The cluster is rehearsed" />
          )}
          {verdict.value === undefined && lesson.subject.is === "run" && (
            <button type="button" onClick={() => play.reveal()}>
              Show the end
            </button>
          )}
        </p>
      )}
      {playground.report.value !== undefined && lesson.subject.is === "rehearsal" && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        <pre class="report" tabIndex={0} role="region" aria-label="Report">
          {playground.report.value.join("\n")}
        </pre>
      )}
      {verdict.value !== undefined && (
        <Debrief play={play} playground={playground} lesson={lesson} run={play.judged.value} />
      )}
    </div>
  );
}

interface PredictionFormProps {
  readonly prediction: Prediction;
  /** The run whose length and faults are shown below a mark. */
  readonly run: StoryRecording | undefined;
  readonly isBusy: boolean;
  readonly onPredict: (answer: number) => void;
}

/** The answer is given before the run is shown. */
function PredictionForm({ prediction, run, isBusy, onPredict }: PredictionFormProps) {
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
      {prediction.is === "choice" && (
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
      )}
      {(prediction.is === "seconds" || prediction.is === "count") && (
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
          {prediction.is === "seconds" ? "seconds" : ""}
        </label>
      )}
      {prediction.is === "mark" &&
        (run === undefined ? (
          <p class="muted">You can draw your mark once the run is simulated.</p>
        ) : (
          <MarkInput run={run} value={answer.value} onMark={(seconds) => (answer.value = String(seconds))} />
        ))}
      <button type="submit" disabled={isBusy || !isAnswered}>
        Predict, then see
      </button>
    </form>
  );
}

interface DebriefProps extends LessonPanelProps {
  readonly lesson: Lesson;
  readonly run: StoryRecording | undefined;
}

function Debrief({ play, playground, lesson, run }: DebriefProps) {
  const { value: verdict } = play.verdict;
  const { value: guess } = play.guess;
  if (verdict === undefined || guess === undefined) return null;
  return (
    <>
      <p role="status" class={verdict.isRight ? "right" : "wrong"}>
        {verdict.isRight ? "You were right: " : "It was different: "}
        {answerText(lesson.prediction, verdict.truth)}
        {(lesson.prediction.is === "seconds" || lesson.prediction.is === "mark") &&
          `, ${lengthText(Math.abs(verdict.truth - guess) * 1000)} from your guess`}
        .
      </p>
      {lesson.prediction.is === "mark" && run !== undefined && (
        <MarkStrip run={run} marks={{ yours: guess, truth: verdict.truth }} />
      )}
      <p>{lesson.debrief}</p>
      <details>
        <summary>The code that decided it</summary>
        <ul>
          {lesson.code.map(({ path, decides }) => (
            <li key={path}>
              <code>{path}</code>: {decides}
            </li>
          ))}
        </ul>
      </details>
      {lesson.isVirtualOnly !== true && <OutsideTheTab lesson={lesson} />}
      {lesson.goal !== undefined && <GoalBox play={play} playground={playground} goal={lesson.goal} />}
      <NextLesson play={play} playground={playground} lesson={lesson} />
    </>
  );
}

/** The command that plays the lesson outside the browser. */
function OutsideTheTab({ lesson }: { lesson: Lesson }) {
  return (
    <details>
      <summary>{lesson.subject.is === "run" ? "The same on real containers" : "Rehearse your own cluster"}</summary>
      <CommandLine text={`kintsugi learn ${lessons.indexOf(lesson) + 1} --real`} />
      <p class="muted">
        {lesson.subject.is === "run"
          ? "The command starts a cluster on your Linux host, causes the same faults, and removes the cluster."
          : "The command reads the cluster of your kubeconfig, and changes nothing."}
      </p>
    </details>
  );
}

/** The next lesson, once a lesson was seen. */
function NextLesson({ play, playground, lesson }: LessonPanelProps & { lesson: Lesson }) {
  const next = lessons[lessons.indexOf(lesson) + 1];
  if (next === undefined) return null;
  return (
    <p>
      <button type="button" disabled={playground.isBusy.value} onClick={() => play.begin(next)}>
        Next: {next.title}
      </button>
    </p>
  );
}
