import "./lists.css";
import type { ComponentChildren } from "preact";
import type { DashboardPage } from "../../state/page.ts";
import { Recoveries } from "./recoveries.tsx";
import { StepList } from "./step-list.tsx";
import { Things } from "./things.tsx";
import { Timers } from "./timers.tsx";
import { Workloads } from "./workloads.tsx";

/** The tables and lists below the picture, which contain everything that the picture shows. */
export function Lists({ page, turns }: { page: DashboardPage; turns?: ComponentChildren }) {
  return (
    <div class="columns">
      <div class="stack">
        {/* The place above the timers, because timers appear and disappear, and the table must not
           move. */}
        {turns ?? <Workloads page={page} />}
        <Timers page={page} />
        <Recoveries page={page} />
      </div>
      <div class="stack">
        {turns !== undefined && <Workloads page={page} />}
        <StepList page={page} />
      </div>
      <Things page={page} />
    </div>
  );
}
