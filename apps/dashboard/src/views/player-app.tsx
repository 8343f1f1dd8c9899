import type { DashboardPage } from "../state/page.ts";
import type { Player } from "../state/player.ts";
import { DetailPanel } from "./detail/detail-panel.tsx";
import { Filters } from "./filters.tsx";
import { CaptionList, PlayerControls } from "./player-controls.tsx";
import { Recoveries } from "./recoveries.tsx";
import { StepList } from "./step-list.tsx";
import { Things } from "./things.tsx";
import { Timeline } from "./timeline.tsx";
import { Timers } from "./timers.tsx";
import { Workloads } from "./workloads.tsx";

/**
 * The page of a recording: the same picture and lists as of a cluster that lives, and the player.
 */
export function PlayerApp({ page, player }: { page: DashboardPage; player: Player }) {
  return (
    <>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" /> Kintsugi <small>{player.recording.title}</small>
        </h1>
        <Filters page={page} namespace="" />
      </header>
      <main>
        <PlayerControls player={player} />
        <Timeline page={page} />
        <div class="columns">
          <div class="stack">
            <CaptionList player={player} />
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
