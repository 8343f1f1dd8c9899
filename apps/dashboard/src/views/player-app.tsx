import type { DashboardPage } from "../state/page.ts";
import type { Player } from "../state/player.ts";
import { Filters } from "./filters.tsx";
import { PageBody } from "./page-body.tsx";
import { Share } from "./share/share.tsx";
import { CaptionList, PlayerControls } from "./player-controls.tsx";

interface PlayerAppProps {
  readonly page: DashboardPage;
  readonly player: Player;
  /** The address of a time of this recording. */
  readonly linkAt: (atMs: number) => string;
  /** The recording is a part of a page that has its own title. */
  readonly isPart?: boolean;
}

/** The page of a recording: the same picture and lists as for a running cluster, and the player. */
export function PlayerApp({ page, player, linkAt, isPart = false }: PlayerAppProps) {
  // A page has one banner, so the head of a part is a section.
  const Head = isPart ? "section" : "header";
  return (
    <>
      <Head class={isPart ? "top part" : "top"} {...(isPart ? { "aria-label": "Recording" } : {})}>
        {isPart ? (
          <h2>{player.recording.title}</h2>
        ) : (
          <h1>
            <span class="mark" aria-hidden="true" /> Kintsugi <small>{player.recording.title}</small>
          </h1>
        )}
        <Share page={page} linkAt={linkAt} />
        <Filters page={page} namespace="" />
      </Head>
      <PageBody
        page={page}
        controls={<PlayerControls page={page} player={player} />}
        turns={<CaptionList page={page} player={player} />}
      />
    </>
  );
}
