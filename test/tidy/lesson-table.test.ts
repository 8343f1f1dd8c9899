import { readFileSync } from "node:fs";
import { join } from "node:path";
import { faultsOfTopology, TopologyFile } from "@kintsugi/lab";
import { planLesson } from "@kintsugi/simulator/factory";
import { type Lesson, lessons } from "@kintsugi/story";
import { expect, test } from "vitest";
import { repository, sourceFiles } from "./source-files.ts";

const head = "| lesson | name | chapter | with `--real` |\n|---|---|---|---|\n";
const shippedDirectory = join(repository, "apps/simulator/scenarios");

function withReal({ subject }: Lesson): string {
  if (subject.is === "rehearsal") return "rehearses your own cluster, which is only read";
  const { scenario, plan } = planLesson(subject, [], { shippedDirectory });
  if (!plan.isPossible) return `virtual time only: ${plan.because}`;
  const servers = scenario.world.servers === undefined ? "" : `${scenario.world.servers} servers and `;
  return `${scenario.durationMs / 60_000} min on ${servers}${scenario.nodes.length} nodes`;
}

test("docs/lessons.md lists every lesson with its chapter, and whether real containers can play it", () => {
  const page = readFileSync(join(repository, "docs/lessons.md"), "utf8");
  const rows = lessons.map(
    (lesson, index) => `| ${index + 1} | \`${lesson.id}\` | ${lesson.chapter} | ${withReal(lesson)} |\n`,
  );
  expect(page.slice(page.indexOf(head)).split("\n\n")[0]?.trimEnd()).toBe(`${head}${rows.join("")}`.trimEnd());
});

test("the file of every lesson has the name of its chapter, without an article", () => {
  const folder = "packages/story/src/lessons/chapters";
  const places = sourceFiles(folder).flatMap(({ path, text }) =>
    [...text.matchAll(/^ {4}id: "([\w-]+)"/gm)].map(([, id = ""]) => [id, path] as const),
  );
  const wanted = lessons.map(({ id, chapter }) => {
    const name = chapter
      .replace(/^(?:A|The|Your) /, "")
      .toLowerCase()
      .replaceAll(" ", "-");
    return [id, `${folder}/${name}.ts`] as const;
  });
  expect(new Map(places)).toEqual(new Map(wanted));
});

test("the lab accepts the topology file of every lesson that real containers can play", () => {
  const files = lessons.flatMap(({ id, subject }) => {
    if (subject.is !== "run") return [];
    const { plan } = planLesson(subject, [], { shippedDirectory });
    return plan.isPossible ? [{ id, file: TopologyFile.parse(plan.topology) }] : [];
  });
  expect(files.length).toBeGreaterThan(10);
  const host = { cpuMillicores: 4000, memoryBytes: 16e9 };
  const faults = files.flatMap(({ id, file }) =>
    faultsOfTopology(file, { directory: "/", host }).map(({ path, message }) => `${id}: ${path.join(".")} ${message}`),
  );
  expect(faults).toEqual([]);
});
