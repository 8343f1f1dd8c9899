import { parseDurationMs } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import { parseYaml, suggest } from "@kintsugi/yaml-text";
import { z } from "zod";
import type { Incident } from "../gym/incident.ts";

/** One game day, as its file describes it. */
export interface GameDayPlan {
  readonly title: string;
  readonly teams: readonly string[];
  /** One incident for each round, in order. */
  readonly incidents: readonly Incident[];
  /** Seed of the order, the moments and the places of the faults. */
  readonly seed: number;
  /** Longest time from the start of a round to its fault. */
  readonly quietMs: number;
  /** Longest time from the harm to the end of a round. */
  readonly mendMs: number;
}

/** The clusters of all teams run in one process. A cluster takes about 120 MB. */
const teamsMax = 4;
const incidentsMax = 20;
const titleLettersMax = 80;
const teamLettersMax = 40;
const minute = 60_000;

function duration(limits: { minMs: number; maxMs: number; words: string }) {
  return z.unknown().transform((value, context) => {
    const fail = (message: string) => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    try {
      const ms = parseDurationMs(String(value));
      return ms < limits.minMs || ms > limits.maxMs ? fail(`"${String(value)}" is not ${limits.words}`) : ms;
    } catch {
      return fail(`"${String(value)}" is not a duration; write for example 90s or 5m`);
    }
  });
}

const text = (lettersMax: number) =>
  z
    .string()
    .trim()
    .min(1, { error: "is empty" })
    .max(lettersMax, { error: `has more than ${lettersMax} characters` });

/** `readGameDay` checks the names of the incidents. */
const gameDayFile = z.strictObject({
  title: text(titleLettersMax).default("Game day"),
  teams: z
    .array(text(teamLettersMax))
    .min(1, { error: "is empty; name at least one team" })
    .max(teamsMax, { error: `has more than ${teamsMax} teams` })
    .default(["team"]),
  incidents: z
    .array(z.string())
    .min(1, { error: "is empty; `kintsugi gym list` lists incidents" })
    .max(incidentsMax, { error: `has more than ${incidentsMax} incidents` }),
  order: z.enum(["written", "drawn"]).default("written"),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1),
  limits: z
    .strictObject({
      quiet: duration({ minMs: 0, maxMs: 60 * minute, words: "from 0s to 1h" }).default(3 * minute),
      mend: duration({ minMs: minute, maxMs: 240 * minute, words: "from 1m to 4h" }).default(30 * minute),
    })
    .prefault({}),
});

/**
 * Reads the file of a game day.
 * @throws InvalidFile with everything that is wrong, each with its line and column.
 */
export function readGameDay(
  yaml: string,
  { source, incidents }: { source: string; incidents: readonly Incident[] },
  randomOf: (seed: number) => Random,
): GameDayPlan {
  const parsed = parseYaml(yaml, { schema: gameDayFile, source, whole: "game day" });
  const { value } = parsed;
  const names = incidents.map(({ name }) => name);
  const unknown = value.incidents.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [
          {
            path: ["incidents", index],
            message: `there is no incident "${name}": ${suggest(name, names)} (\`kintsugi gym list\`)`,
          },
        ],
  );
  const slugs = value.teams.map(slugOf);
  const same = value.teams.flatMap((team, index) =>
    slugs.indexOf(slugOf(team)) === index
      ? []
      : [{ path: ["teams", index], message: `"${team}" is too similar to another team's name` }],
  );
  if (unknown.length + same.length > 0) throw parsed.invalid([...unknown, ...same]);
  const { title, teams, seed, limits } = value;
  const written = value.incidents.flatMap((name) => incidents.find((each) => each.name === name) ?? []);
  const played = value.order === "drawn" ? shuffled(written, randomOf(seed)) : written;
  return { title, teams, incidents: played, seed, quietMs: limits.quiet, mendMs: limits.mend };
}

/** The name of a team in file names and contexts: "Team Blue" is "team-blue". */
export function slugOf(team: string): string {
  const slug = team
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug === "" ? "team" : slug;
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0) drawn.push(...left.splice(random.integer(left.length), 1));
  return drawn;
}
