import type { PlantedBug } from "./planted-bug.ts";

/** The table of README.md. */
export function tableOf(bugs: readonly PlantedBug[]): string {
  const rows = bugs.map(
    ({ name, caughtBy, orBy, life, seed }) =>
      `| ${name} | ${orBy === undefined ? caughtBy : `${caughtBy} or ${orBy}`} | ${life} | ${seed} |`,
  );
  return [
    "| what the product does | caught by | in the life | after seeds |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
