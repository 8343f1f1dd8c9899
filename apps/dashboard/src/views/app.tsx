import type { DashboardPage } from "../state/page.ts";
import { BreakSomething } from "./break-button.tsx";
import { Filters } from "./filters.tsx";
import { Lazy } from "./lazy.tsx";
import { PageBody } from "./page-body.tsx";
import { HeldNotice } from "./share/held-notice.tsx";
import { Share } from "./share/share.tsx";

interface AppProps {
  readonly page: DashboardPage;
  readonly namespace: string;
  /** The address of a time of this cluster. */
  readonly linkAt: (atMs: number) => string;
}

const loadProblems = () => import("./problems.tsx").then(({ Problems }) => Problems);

/** The whole page. */
export function App({ page, namespace, linkAt }: AppProps) {
  const { settings } = page.cluster;
  return (
    <>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" /> Kintsugi <small>{settings.clusterName}</small>
        </h1>
        <BreakSomething page={page} />
        <Share page={page} linkAt={linkAt} />
        <Filters page={page} namespace={namespace} />
      </header>
      <Lazy isWanted={page.cluster.problems.value.size > 0} load={loadProblems} props={{ page, namespace }} />
      <HeldNotice page={page} />
      <PageBody page={page} />
    </>
  );
}
