import type { Ghost } from "../../model/ghosts.ts";
import { lengthText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ObjectLink } from "../object-link.tsx";

/** More are not read by anybody; the picture shows them all. */
const shownMax = 12;

/** The running timers: when each ends, and what happens then. */
export function Timers({ page }: { page: DashboardPage }) {
  const ghosts = page.ghosts.value;
  return (
    <section class="card" aria-labelledby="timers-title">
      <h2 id="timers-title">What is awaited</h2>
      {ghosts.length === 0 && <p class="calm">No timer is running.</p>}
      <ol class="timers">
        {ghosts.slice(0, shownMax).map((ghost) => (
          <Timer
            key={`${ghost.about.kind}/${ghost.about.namespace}/${ghost.about.name}/${ghost.timer}`}
            page={page}
            ghost={ghost}
          />
        ))}
      </ol>
      {ghosts.length > shownMax && <p class="muted">and {ghosts.length - shownMax} more</p>}
    </section>
  );
}

function Timer({ page, ghost }: { page: DashboardPage; ghost: Ghost }) {
  const leftMs = ghost.atMs - page.nowMs.value;
  const wholeMs = ghost.sinceMs === undefined ? undefined : ghost.atMs - ghost.sinceMs;
  return (
    <li>
      <div class="row">
        <ObjectLink page={page} object={ghost.about} />
        <strong class="countdown">{leftMs <= 0 ? "due" : lengthText(leftMs)}</strong>
      </div>
      <div class="muted">{ghost.timer}</div>
      {wholeMs !== undefined && wholeMs > 0 && (
        <meter min={0} max={wholeMs} value={Math.max(0, leftMs)} aria-label={`${ghost.timer} of ${ghost.about.name}`} />
      )}
      {ghost.next !== "" && <div>Then: {ghost.next}</div>}
    </li>
  );
}
