import { readFileSync } from "node:fs";
import { join } from "node:path";
import { planLesson } from "@kintsugi/simulator/factory";
import { type Lesson, lessons } from "@kintsugi/story";
import { expect, test } from "vitest";
import { repository } from "./source-files.ts";

const head = "| lesson | name | with `--real` |\n|---|---|---|\n";
const shippedDirectory = join(repository, "apps/simulator/scenarios");

function withReal({ subject }: Lesson): string {
  if (subject.is === "rehearsal") return "rehearses your own cluster, which is only read";
  const { scenario, plan } = planLesson(subject, [], { shippedDirectory });
  if (!plan.isPossible) return `virtual time only: ${plan.because}`;
  const servers = scenario.world.servers === undefined ? "" : `${scenario.world.servers} servers and `;
  return `${scenario.durationMs / 60_000} min on ${servers}${scenario.nodes.length} nodes`;
}

test("docs/lessons.md lists every lesson, and whether real containers can play it", () => {
  const page = readFileSync(join(repository, "docs/lessons.md"), "utf8");
  const rows = lessons.map((lesson, index) => `| ${index + 1} | \`${lesson.id}\` | ${withReal(lesson)} |\n`);
  expect(page.slice(page.indexOf(head)).split("\n\n")[0]?.trimEnd()).toBe(`${head}${rows.join("")}`.trimEnd());
});
