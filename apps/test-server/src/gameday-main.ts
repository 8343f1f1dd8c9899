import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { formatTimestamp, type Logger } from "@kintsugi/api";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { endWithReader, type Loop, runService } from "@kintsugi/daemon";
import { SeededRandomSource } from "@kintsugi/simulation";
import { GameDay } from "./gameday/game-day.ts";
import { type GameDayConfig, readGameDayFlags } from "./gameday/gameday-flags.ts";
import { gameDayHtml, gameDayMarkdown } from "./gameday/report.ts";
import { type ServedGameDay, serveGameDay } from "./gameday/serve-game-day.ts";
import { untilParentEnds } from "./parent-process.ts";
import { startTeamCluster } from "./start-team-cluster.ts";

endWithReader(process.stdout);
void runService({ name: "gameday", umask: 0o077, isStartedByHand: true, configure: readGameDayFlags, start });

async function start(config: GameDayConfig, log: Logger): Promise<readonly Loop[]> {
  const { plan, port, report, json, withParent } = config;
  const startedAt = formatTimestamp(systemClock.nowMs());
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-gameday-"));
  const writeReport = async () => {
    if (report === undefined) return;
    await writeFile(
      report,
      extname(report) === ".html" ? gameDayHtml(game, startedAt) : gameDayMarkdown(game, startedAt),
    );
  };
  const game = new GameDay(
    {
      clock: systemClock,
      draw: (round) => new SeededRandomSource(plan.seed).of(`quiet of round ${round}`).float(),
      startCluster: (of) => startTeamCluster(of, { directory, log }),
      onRoundOver: () =>
        void writeReport().catch((error: Error) => process.stderr.write(`gameday: ${error.message}\n`)),
    },
    plan,
  );
  const end = async () => {
    await game.close();
    await rm(directory, { recursive: true, force: true });
  };
  let served: ServedGameDay;
  try {
    // An unwritable file fails before the first round.
    await writeReport();
    served = await serveGameDay({ random: systemRandom }, game, { port, startedAt });
  } catch (error) {
    await end();
    throw error;
  }
  const run = async (signal: AbortSignal) => {
    const { facilitator, teams } = served;
    const say = (text: string) => void process.stdout.write(`${text}\n`);
    say(json ? JSON.stringify({ type: "began", facilitator, teams, pid: process.pid }) : welcome(plan.title, served));
    await untilAborted(signal);
    await served[Symbol.asyncDispose]();
    await end();
    await writeReport();
    if (!json) say(gameDayMarkdown(game, startedAt));
  };
  const parent: Loop = { name: "parent process", run: (signal) => untilParentEnds(signal) };
  return [{ name: "game day", run }, ...(withParent ? [parent] : [])];
}

function welcome(title: string, { facilitator, teams }: ServedGameDay): string {
  return [
    `${title} is ready. Begin the first round on the facilitator's page, which shows the hidden faults:`,
    "",
    `  ${facilitator}`,
    "",
    "Give each team the address of its own page:",
    "",
    ...teams.map(({ team, url }) => `  ${team}: ${url}`),
    "",
    "Ctrl-C ends the game day and prints the report.",
  ].join("\n");
}
