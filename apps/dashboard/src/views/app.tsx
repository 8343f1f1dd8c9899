import type { DashboardPage } from "../state/page.ts";
import { BreakSomething } from "./break-button.tsx";
import { Filters } from "./filters.tsx";
import { PageBody } from "./page-body.tsx";
import { Problems } from "./problems.tsx";

/** The whole page. */
export function App({ page, namespace }: { page: DashboardPage; namespace: string }) {
  const { settings } = page.cluster;
  return (
    <>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" /> Kintsugi <small>{settings.clusterName}</small>
        </h1>
        <BreakSomething page={page} />
        <Filters page={page} namespace={namespace} />
      </header>
      <Problems page={page} namespace={namespace} />
      <PageBody page={page} />
    </>
  );
}
