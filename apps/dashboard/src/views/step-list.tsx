import { isTelling } from "../model/telling.ts";
import { clockText, toldStep } from "../model/words.ts";
import type { DashboardPage } from "../state/page.ts";
import { ObjectLink } from "./object-link.tsx";

const shownMax = 60;

/** The last steps as a list: the same as the picture shows, for people who read or listen. */
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
    .slice(-shownMax)
    .toReversed();
  return (
    <section class="card" aria-labelledby="steps-title">
      <h2 id="steps-title">What happened</h2>
      {steps.length === 0 && <p class="calm">Nothing has happened yet.</p>}
      <ol class="steps scroll" tabIndex={0} aria-labelledby="steps-title">
        {steps.map((step, i) => (
          <li key={`${step.revision} ${step.kind} ${step.name} ${step.what} ${step.detail} ${steps.length - i}`}>
            <time>{clockText(step.timeMs)}</time>
            <span>
              <ObjectLink page={page} object={step} /> {toldStep(step)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
