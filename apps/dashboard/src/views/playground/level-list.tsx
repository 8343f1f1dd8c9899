import { guidedLives } from "../../model/playground/guided-lives.ts";
import { writePlayAddress } from "../../model/playground/play-address.ts";
import type { Playground } from "../../state/playground.ts";

/** The guided lives: a question to think about while it plays, and the answer. */
export function LevelList({ playground }: { playground: Playground }) {
  const { request, isBusy } = playground;
  const address = request.value === undefined ? "" : writePlayAddress(request.value);
  const level = guidedLives.find((each) => writePlayAddress(each.request) === address);
  return (
    <nav class="levels" aria-label="Levels">
      <ol>
        {guidedLives.map((each, index) => (
          <li key={each.title}>
            <button
              type="button"
              aria-pressed={each === level}
              disabled={isBusy.value}
              onClick={() => playground.play(each.request)}
            >
              {index + 1}. {each.title}
            </button>
          </li>
        ))}
      </ol>
      {level !== undefined && (
        <div class="question" key={level.title}>
          <p>{level.question}</p>
          <details>
            <summary>The answer</summary>
            <p>{level.answer}</p>
          </details>
        </div>
      )}
    </nav>
  );
}
