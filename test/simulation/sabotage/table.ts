import type { PlantedBug } from "./planted-bug.ts";

/** The table of README.md. */
export function tableOf(bugs: readonly PlantedBug[]): string {
  const rows = bugs.map(
    ({ name, caughtBy, orBy, run, seed }) =>
      `| ${name} | ${orBy === undefined ? caughtBy : `${caughtBy} or ${orBy}`} | ${run} | ${seed} |`,
  );
  return [
    "| what the product does | caught by | in the run | after seeds |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
