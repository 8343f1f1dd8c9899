import type { TimelineEntry } from "@kintsugi/api";
import { type Chapter, chaptersOf } from "../../model/chapters.ts";
import { isTelling } from "../../model/telling.ts";
import { clockText, countText, toldStep, zonedClockText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";

/** Older steps are in the timeline of the command line. */
const stepsMax = 300;
const chaptersMax = 40;

/**
 * The last steps, grouped by their causes: the same as in the picture, for people who use a screen
 * reader.
 */
export function StepList({ page }: { page: DashboardPage }) {
  // The clock of the page renews the list.
  void page.nowMs.value;
  const { namespace, node } = page.filter.value;
  const steps = page.cluster.story.steps
    .filter(
      (step) =>
        isTelling(step) &&
        (namespace === "" || step.namespace === namespace || step.kind === "Node") &&
        (node === "" || step.node === node),
    )
    .slice(-stepsMax);
  const chapters = chaptersOf(steps).slice(-chaptersMax).toReversed();
  return (
    <section class="card" aria-labelledby="steps-title">
      <h2 id="steps-title">
        What happened <small>times in UTC</small>
      </h2>
      {chapters.length === 0 && <p class="quiet">Nothing has happened yet.</p>}
      <ol class="chapters scroll" tabIndex={0} aria-labelledby="steps-title">
        {chapters.map((chapter) => (
          <ChapterItem key={chapter.key} page={page} chapter={chapter} />
        ))}
      </ol>
    </section>
  );
}

function ChapterItem({ page, chapter }: { page: DashboardPage; chapter: Chapter }) {
  const { steps, atMs, text, is } = chapter;
  const [first] = steps;
  if (first === undefined) return null;
  if (steps.length === 1)
    return (
      <li class={is}>
        <time title={zonedClockText(atMs)}>{clockText(atMs)}</time>
        <Told page={page} step={first} />
      </li>
    );
  return (
    <li class={is}>
      <time title={zonedClockText(atMs)}>{clockText(atMs)}</time>
      <details>
        <summary>
          {text === "" ? `${first.kind} ${first.name} ${toldStep(first)}` : text}{" "}
          <span class="muted">{countText(steps.length, "step")}</span>
        </summary>
        <ol class="steps">
          {steps.map((step, i) => (
            <li key={`${step.revision} ${i}`}>
              <time>{clockText(step.timeMs)}</time>
              <Told page={page} step={step} />
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}

function Told({ page, step }: { page: DashboardPage; step: TimelineEntry }) {
  return (
    <span>
      <ObjectLink page={page} object={step} /> {toldStep(step)}
    </span>
  );
}
