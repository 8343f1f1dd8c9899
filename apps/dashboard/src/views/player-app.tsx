import type { DashboardPage } from "../state/page.ts";
import type { Player } from "../state/player.ts";
import { Filters } from "./filters.tsx";
import { PageBody } from "./page-body.tsx";
import { CaptionList, PlayerControls } from "./player-controls.tsx";

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
      <PageBody page={page} controls={<PlayerControls player={player} />} turns={<CaptionList player={player} />} />
    </>
  );
}
