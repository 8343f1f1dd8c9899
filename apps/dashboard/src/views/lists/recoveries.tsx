import { afterText, clockText, lengthText } from "../../model/words.ts";
import type { RecoveryStep } from "@kintsugi/story";
import type { DashboardPage } from "../../state/page.ts";

const shownMax = 5;

/** The steps of each recovery, divided into timers and work. */
export function Recoveries({ page }: { page: DashboardPage }) {
  const recoveries = page.recoveries.value.slice(0, shownMax);
  if (recoveries.length === 0) return null;
  return (
    <section class="card" aria-labelledby="recoveries-title">
      <h2 id="recoveries-title">
        Recoveries <small>times in UTC</small>
      </h2>
      {recoveries.map(({ node, steps, isOver }) => (
        <article key={`${node} ${steps[0]?.atMs}`}>
          <h3>
            {node} <span class={isOver ? "mended" : "muted"}>{isOver ? "is mended" : "is being mended"}</span>
          </h3>
          <ol class="steps">
            {steps.map((step) => (
              <li key={`${step.what} ${step.atMs}`}>
                <time>{clockText(step.atMs)}</time>
                <span>
                  {step.what} <Parts step={step} />
                </span>
              </li>
            ))}
          </ol>
        </article>
      ))}
    </section>
  );
}

function Parts({ step: { tookMs, timerMs } }: { step: RecoveryStep }) {
  if (tookMs === undefined) return null;
  const timer = Math.min(tookMs, timerMs);
  return (
    <span class="muted">
      {afterText(tookMs)}
      {timer > 0 && ` (timer ${lengthText(timer)}, work ${lengthText(tookMs - timer)})`}
    </span>
  );
}
