import type { DashboardPage } from "../state/page.ts";
import { DetailPanel } from "./detail/detail-panel.tsx";
import { Filters } from "./filters.tsx";
import { Problems } from "./problems.tsx";
import { Recoveries } from "./recoveries.tsx";
import { StepList } from "./step-list.tsx";
import { Things } from "./things.tsx";
import { Timeline } from "./timeline.tsx";
import { Timers } from "./timers.tsx";
import { Workloads } from "./workloads.tsx";

/** The whole page. */
export function App({ page, namespace }: { page: DashboardPage; namespace: string }) {
  const { settings } = page.cluster;
  return (
    <>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" /> Kintsugi <small>{settings.clusterName}</small>
        </h1>
        <Filters page={page} namespace={namespace} />
      </header>
      <Problems page={page} namespace={namespace} />
      <main>
        <Timeline page={page} />
        <div class="columns">
          <div class="stack">
            <Timers page={page} />
          </div>
          <div class="stack">
            <Workloads page={page} />
            <Recoveries page={page} />
          </div>
          <div class="stack">
            <StepList page={page} />
          </div>
          <Things page={page} />
        </div>
      </main>
      <DetailPanel page={page} />
    </>
  );
}
