import { degradedTimeOf } from "@kintsugi/story";
import type { Shown } from "../model/commands.ts";
import { firstLook } from "../model/first-look.ts";
import { lengthText, zonedClockText } from "../model/words.ts";
import type { DashboardPage } from "../state/page.ts";

/**
 * The first look answers whether everything is well, what happens next and when, and what it has
 * cost so far.
 */
export function FirstLook({ page }: { page: DashboardPage }) {
  const nowMs = page.nowMs.value;
  const seen = page.look.value;
  if (seen === undefined) return <section class="look" aria-label="First look" aria-busy="true" />;
  const { isWell, title, facts, next } = firstLook(seen, nowMs);
  return (
    <section class={isWell ? "look well" : "look broken"} aria-label="First look">
      <div class="verdict">
        <h2>
          <span class="seal" aria-hidden="true" /> {title}
        </h2>
        {/* Screen readers do not read the countdowns out with every tick, because this text changes
           only with the state. */}
        <p class="unseen" aria-live="polite" aria-atomic="true">
          {title}
        </p>
        <p class="muted facts">{facts}</p>
      </div>
      <div class="next">
        <h3>What happens next</h3>
        <p>
          {next.before} {next.leftMs !== undefined && <strong class="countdown">{lengthText(next.leftMs)}</strong>}{" "}
          {next.after}
          {next.why !== undefined && <WhyLink page={page} object={next.why} />}
        </p>
      </div>
      <Cost page={page} nowMs={nowMs} />
    </section>
  );
}

/** Opens the reasons of an object. */
function WhyLink({ page, object }: { page: DashboardPage; object: Shown }) {
  const open = () => {
    page.tab.value = "Why";
    page.selected.value = object;
  };
  return (
    <button type="button" class="link" onClick={open}>
      Read why {object.name} is Pending
    </button>
  );
}

/**
 * Other timers are mentioned if the recovery would have taken at least this much longer with them.
 */
const shownMoreMs = 1_000;

/** One number, labeled with the glossary's term. */
function Cost({ page, nowMs }: { page: DashboardPage; nowMs: number }) {
  const { value: rows } = page.rows;
  const degradedMs = degradedTimeOf(
    rows.flatMap(({ downtime }) => downtime.shortages),
    nowMs,
  );
  const asKubernetesMs = Math.max(0, ...rows.map(({ downtime }) => downtime.degradedUnderKubernetesMs));
  const isKubernetes = page.cluster.settings.profile === "kubernetes";
  const firstMs = page.recorded?.run.fromMs ?? page.cluster.story.steps[0]?.timeMs;
  return (
    <div class="cost">
      <h3>Degraded so far</h3>
      <p class="amount">{lengthText(degradedMs)}</p>
      <p class="muted">
        {!isKubernetes && asKubernetesMs > degradedMs + shownMoreMs
          ? `Kubernetes' own timers: ${lengthText(asKubernetesMs)}`
          : "fewer pods than wanted were available"}
        {firstMs !== undefined && `, since ${zonedClockText(firstMs)}`}
      </p>
    </div>
  );
}
