import type { ComponentChildren } from "preact";
import type { DashboardPage } from "../state/page.ts";
import { FirstLook } from "./first-look.tsx";
import { Lazy } from "./lazy.tsx";
import { Timeline } from "./picture/timeline.tsx";

interface PageBodyProps {
  readonly page: DashboardPage;
  /** Shown between the first look and the picture. */
  readonly controls?: ComponentChildren;
  /** Shown before the timers. */
  readonly turns?: ComponentChildren;
}

const loadLists = () => import("./lists/lists.tsx").then(({ Lists }) => Lists);
const loadPanel = () => import("./detail/detail-panel.tsx").then(({ DetailPanel }) => DetailPanel);

/** The common parts of a running cluster and a recording; the panel docks next to them. */
export function PageBody({ page, controls, turns }: PageBodyProps) {
  const isChosen = page.selected.value !== undefined;
  return (
    <div class={isChosen ? "page docked" : "page"}>
      <main>
        <FirstLook page={page} />
        {controls}
        <Timeline page={page} />
        <Lazy isWanted load={loadLists} props={{ page, turns }} />
      </main>
      <Lazy isWanted={isChosen} load={loadPanel} props={{ page }} />
    </div>
  );
}
