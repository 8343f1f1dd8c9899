import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import type { IncidentVerdict } from "../gym/incident-run.ts";
import { incidents } from "../gym/incidents/incidents.ts";
import { GameDay, NotNow } from "./game-day.ts";
import { facilitatorLive, sightOf, teamLive } from "./pages.ts";
import { gameDayHtml, gameDayMarkdown } from "./report.ts";
import { detectMsOf, noteLook, mendMsOf, type TeamRound } from "./round.ts";

const minute = 60_000;
const [first, second] = incidents;
if (first === undefined || second === undefined) throw new Error("there are incidents");
const rounds = [first, second];

/** A game day over clusters whose harm the test decides. */
function aGameDay({ teams = ["blue"], fails = false } = {}) {
  const clock = new VirtualClock();
  const harms = new Map<string, string | undefined>();
  let cheats: string[] = [];
  const open = new Set<string>();
  let reports = 0;
  const game = new GameDay(
    {
      clock,
      draw: () => 0.5,
      onRoundOver: () => reports++,
      startCluster: ({ team, incident }) => {
        if (fails) return Promise.reject(new Error("no port is free"));
        open.add(team);
        return Promise.resolve({
          kubectl: `kubectl of ${team}`,
          prepare: () =>
            Promise.resolve({
              strike: () => Promise.resolve(void harms.set(team, "3 of 6 pods are available")),
              harm: () => Promise.resolve(harms.get(team)),
              check: (cause) =>
                Promise.resolve<IncidentVerdict>({
                  isOver: harms.get(team) === undefined,
                  harm: harms.get(team),
                  cheats,
                  isCauseRight: cause === incident.cause,
                  sinceSymptomMs: 0,
                }),
            }),
          [Symbol.asyncDispose]: () => Promise.resolve(void open.delete(team)),
        });
      },
    },
    { title: "Friday", teams, incidents: rounds, seed: 1, quietMs: 2 * minute, mendMs: 20 * minute },
  );
  const stateOf = (team = "blue") => game.round?.teams.find((each) => each.team === team) as TeamRound;
  const mendBy = (team = "blue") => harms.set(team, undefined);
  return { clock, game, stateOf, mendBy, open, cheat: (what: string[]) => (cheats = what), reports: () => reports };
}

test("a round measures the times to detection and to repair from the moment when the harm is visible", async () => {
  const { clock, game, stateOf, mendBy, reports } = aGameDay();
  game.start();
  await clock.advance(minute);
  expect(stateOf().phase).toBe("broken");
  await clock.advance(90_000);
  expect(game.notice("blue", "visitors <b>complain</b>")).toContain("recorded");
  await clock.advance(minute);
  expect(await game.mend("blue", second.cause)).toBe("The harm continues: 3 of 6 pods are available.");
  mendBy();
  await clock.advance(4 * minute);
  expect(await game.mend("blue", first.cause)).toContain("The harm has ended");
  expect(detectMsOf(stateOf())).toBe(90_000);
  // The harm had ended long before the team reported that.
  expect(mendMsOf(stateOf())).toBeGreaterThanOrEqual(150_000);
  expect(mendMsOf(stateOf())).toBeLessThanOrEqual(152_000);
  expect(reports()).toBe(1);
  const markdown = gameDayMarkdown(game, "2026-01-01");
  expect(markdown).toContain(`| 1 | blue | ${first.name} |`);
  expect(markdown).toContain(`| 1 min 30 s | 2 min 32 s | ${first.cause}, right | 2 | 0 |`);
  expect(markdown).toContain("“visitors \\<b\\>complain\\</b\\>” after 1 min 30 s");
  expect(gameDayHtml(game, "2026-01-01")).toContain("visitors &lt;b&gt;complain&lt;/b&gt;");
  await game.close();
});

test("a team's page does not show the fault until the round is over for all teams", async () => {
  const { clock, game, mendBy } = aGameDay({ teams: ["blue", "red"] });
  const secrets = [first.name, first.cause, first.symptom, "3 of 6"];
  const texts: string[] = [];
  const look = () => texts.push(JSON.stringify(teamLive(sightOf(game, "blue"))));
  look();
  game.start();
  await clock.advance(1);
  look();
  await clock.advance(2 * minute);
  look();
  game.notice("blue", "something");
  mendBy("blue");
  await clock.advance(4_000);
  look();
  await game.mend("blue", undefined);
  look();
  for (const secret of secrets) expect(texts.join("\n")).not.toContain(secret);
  expect(facilitatorLive(game).html).toContain(first.name);
  game.endRound();
  look();
  expect(texts.at(-1)).toContain(first.name);
  await game.close();
});

test("the time before a fault and the fault itself look alike to a team", async () => {
  const { clock, game, stateOf } = aGameDay();
  game.start();
  await clock.advance(30_000);
  expect(stateOf().phase).toBe("quiet");
  const before = teamLive(sightOf(game, "blue"));
  await clock.advance(2 * minute);
  expect(stateOf().phase).toBe("broken");
  expect(teamLive(sightOf(game, "blue"))).toEqual(before);
  await game.close();
});

test("a report before the fault is a false alarm", async () => {
  const { clock, game, stateOf } = aGameDay();
  game.start();
  await clock.advance(30_000);
  expect(game.notice("blue", "I think")).toContain("false alarm");
  expect(stateOf()).toMatchObject({ noticed: undefined, falseAlarms: [{ text: "I think" }] });
  await game.close();
});

test("a solution that is not accepted does not end a round, and the limit ends it", async () => {
  const { clock, game, stateOf, mendBy, cheat } = aGameDay();
  game.start();
  await clock.advance(2 * minute);
  game.notice("blue", "gone");
  mendBy();
  cheat(["the Deployment web has changed"]);
  expect(await game.mend("blue", undefined)).toBe("This answer is not accepted: the Deployment web has changed.");
  expect(stateOf().phase).toBe("broken");
  await clock.advance(20 * minute);
  expect(stateOf()).toMatchObject({ phase: "over", ended: "limit", mendedAtMs: undefined });
  expect(gameDayMarkdown(game, "today")).toContain("not within the limit");
  await game.close();
});

test("a harm that returns is timed from its last end", () => {
  const { game } = aGameDay();
  const [state] = game.rounds[0]?.teams ?? [];
  if (state === undefined) throw new Error("there is a team");
  noteLook(state, undefined, 10);
  noteLook(state, undefined, 20);
  expect(state.harmGoneAtMs).toBe(10);
  noteLook(state, "again", 30);
  noteLook(state, undefined, 40);
  expect(state.harmGoneAtMs).toBe(40);
});

test("each round has its own clusters, and the clusters of the last round end with the game day", async () => {
  const { clock, game, open } = aGameDay({ teams: ["blue", "red"] });
  game.start();
  expect(() => game.start()).toThrow(NotNow);
  await clock.advance(2 * minute);
  game.endRound();
  // The people may inspect the clusters of the round that has ended.
  expect([...open]).toEqual(["blue", "red"]);
  game.start();
  await clock.advance(1);
  expect(game.number).toBe(2);
  game.endRound();
  await clock.advance(1);
  expect(() => game.start()).toThrow("there are no further rounds");
  await game.close();
  expect([...open]).toEqual([]);
});

test("a cluster that cannot start ends the round with a sentence", async () => {
  const { clock, game } = aGameDay({ fails: true });
  game.start();
  await clock.advance(1);
  expect(facilitatorLive(game).html).toContain("The round was aborted: no port is free");
  expect(gameDayMarkdown(game, "today")).toContain("Round 1 was aborted: no port is free.");
  await game.close();
});

test("a form that is sent at the wrong time is refused", async () => {
  const { game, clock } = aGameDay();
  expect(() => game.notice("blue", "x")).toThrow("the first round has not begun yet");
  expect(() => game.hint()).toThrow(NotNow);
  expect(() => game.endRound()).toThrow(NotNow);
  game.start();
  await clock.advance(2 * minute);
  await expect(game.mend("blue", undefined)).rejects.toThrow("report first what you noticed");
  game.notice("blue", "x");
  expect(() => game.notice("blue", "y")).toThrow("you have already reported the fault");
  await game.close();
});
