import type { RunningTimer } from "../../model/running-timers.ts";
import { lengthText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";

/** Limit on listed timers; the picture shows all timers. */
const shownMax = 12;

/** The running timers, each with its end and the step that follows. */
export function Timers({ page }: { page: DashboardPage }) {
  const runningTimers = page.runningTimers.value;
  return (
    <section class="card" aria-labelledby="timers-title">
      <h2 id="timers-title">What is awaited</h2>
      {runningTimers.length === 0 && <p class="quiet">No timer is running.</p>}
      <ol class="timers">
        {runningTimers.slice(0, shownMax).map((runningTimer) => (
          <Timer
            key={`${runningTimer.about.kind}/${runningTimer.about.namespace}/${runningTimer.about.name}/${runningTimer.timer}`}
            page={page}
            runningTimer={runningTimer}
          />
        ))}
      </ol>
      {runningTimers.length > shownMax && <p class="muted">and {runningTimers.length - shownMax} more</p>}
    </section>
  );
}

function Timer({ page, runningTimer }: { page: DashboardPage; runningTimer: RunningTimer }) {
  const leftMs = runningTimer.atMs - page.nowMs.value;
  const wholeMs = runningTimer.sinceMs === undefined ? undefined : runningTimer.atMs - runningTimer.sinceMs;
  return (
    <li>
      <div class="row">
        <ObjectLink page={page} object={runningTimer.about} />
        <strong class="countdown">{leftMs <= 0 ? "due" : lengthText(leftMs)}</strong>
      </div>
      <div class="muted">{runningTimer.timer}</div>
      {wholeMs !== undefined && wholeMs > 0 && (
        <meter
          min={0}
          max={wholeMs}
          value={Math.max(0, leftMs)}
          aria-label={`${runningTimer.timer} of ${runningTimer.about.name}`}
        />
      )}
      {runningTimer.next !== "" && <div>Then: {runningTimer.next}</div>}
    </li>
  );
}
