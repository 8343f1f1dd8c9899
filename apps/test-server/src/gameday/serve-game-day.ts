import type { Random } from "@kintsugi/clock";
import { causes, type IncidentCause } from "../gym/incident.ts";
import type { GameDay } from "./game-day.ts";
import { type FormFields, type GamePage, serveGamePage, type ServedPage, WrongForm } from "./page-server.ts";
import { facilitatorLive, sightOf, teamLive } from "./pages.ts";
import { gameDayHtml, gameDayMarkdown } from "./report.ts";
import { facilitatorShell, noticeLettersMax, teamShell } from "./shells.ts";

export interface ServedGameDay extends AsyncDisposable {
  readonly facilitator: string;
  readonly teams: readonly { readonly team: string; readonly url: string }[];
}

const tokenBytes = 24;

/**
 * Serves the page of the facilitator and the page of each team, each with a port and a token.
 * @throws Error when a port is taken.
 */
export async function serveGameDay(
  { random }: { random: Random },
  game: GameDay,
  { port, startedAt }: { port: number; startedAt: string },
): Promise<ServedGameDay> {
  const served: ServedPage[] = [];
  const serve = async (page: GamePage) => {
    const token = Buffer.from(random.bytes(tokenBytes)).toString("base64url");
    const own = await serveGamePage(page, { port: port === 0 ? 0 : port + served.length, token });
    served.push(own);
    return own;
  };
  const close = async () => {
    await Promise.all(served.map((page) => page[Symbol.asyncDispose]()));
  };
  try {
    const teams: { team: string; url: string }[] = [];
    const { url: facilitator } = await serve(facilitatorPage(game, { teams, startedAt }));
    for (const team of game.plan.teams) teams.push({ team, url: (await serve(teamPage(game, team))).url });
    return { facilitator, teams, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function teamPage(game: GameDay, team: string): GamePage {
  return {
    shell: () => teamShell(game.plan.title, team),
    live: () => teamLive(sightOf(game, team)),
    documents: {},
    forms: {
      "/notice": (fields) => game.notice(team, textIn(fields)),
      "/mend": (fields) => game.mend(team, causeIn(fields)),
    },
  };
}

function facilitatorPage(
  game: GameDay,
  { teams, startedAt }: { teams: readonly { team: string; url: string }[]; startedAt: string },
): GamePage {
  const done = (act: () => void, said: string) => () => {
    act();
    return said;
  };
  return {
    shell: () => facilitatorShell(game.plan.title, teams),
    live: () => facilitatorLive(game),
    documents: {
      "/report.html": { type: "text/html", text: () => gameDayHtml(game, startedAt) },
      "/report.md": { type: "text/plain", text: () => gameDayMarkdown(game, startedAt) },
    },
    forms: {
      "/start": done(() => game.start(), "The clusters are starting."),
      "/hint": done(() => game.hint(), "The teams see the symptom now."),
      "/end-round": done(() => game.endRound(), "The round is over."),
    },
  };
}

/** @throws WrongForm */
function textIn({ text }: FormFields): string {
  const trimmed = typeof text === "string" ? text.replaceAll(/\s+/g, " ").trim() : "";
  if (trimmed === "") throw new WrongForm("write what you noticed");
  if (trimmed.length > noticeLettersMax) throw new WrongForm(`a report has at most ${noticeLettersMax} characters`);
  return trimmed;
}

/** @throws WrongForm */
function causeIn({ cause }: FormFields): IncidentCause | undefined {
  if (cause === undefined || cause === "") return undefined;
  if (typeof cause === "string" && Object.hasOwn(causes, cause)) return cause as IncidentCause;
  throw new WrongForm("this cause is not in the list");
}
