import { expect, test } from "vitest";
import { type MeasureName, measureNames } from "../../scenario/expectation.ts";
import type { ScenarioReport } from "../report.ts";
import { renderHtml } from "./render-html.ts";

const nasty = `</style><script>alert("1")</script>&'\``;

const report = (name: string): ScenarioReport => ({
  name,
  description: nasty,
  seed: 1,
  profile: "default",
  timers: { "node-monitor-grace-period": "20s" },
  durationMs: 600_000,
  nodes: ["node-1"],
  workloads: [
    {
      name: nasty,
      replicas: 3,
      measures: Object.fromEntries(measureNames.map((measure) => [measure, 7000])) as Record<MeasureName, number>,
      isDegradedAtEnd: true,
      samples: [
        { atMs: 0, wanted: 3, ready: 3, available: 3 },
        { atMs: 60_000, wanted: 3, ready: 3, available: 1 },
      ],
    },
  ],
  steps: [
    { atMs: 60_000, object: "fault/kill-node", what: "begins", detail: `node-1 for 1m ${nasty}` },
    { atMs: 99_000, object: "node/node-1", what: "condition", detail: "Ready=Unknown", explained: nasty },
    { atMs: 120_000, object: "fault/kill-node", what: "ends", detail: "node-1" },
  ],
  expectations: [{ text: nasty, isMet: false, found: nasty }],
  failure: nasty,
  digest: "0123456789abcdef",
});

test.each([
  ["one report", renderHtml(report(nasty))],
  ["two side by side", renderHtml(report(nasty), report("b"))],
])("%s: no text becomes markup, and nothing is loaded from anywhere", (_, html) => {
  expect(html).not.toContain("<script");
  expect(html.match(/<\/style>/g)).toHaveLength(1);
  expect(html).not.toMatch(/<[^>]+ (?:src|href)=|url\(|@import/i);
  expect(html).toContain("&#60;script&#62;alert(&#34;1&#34;)");
  expect(html).toContain("prefers-color-scheme: dark");
});

test("every opened tag is closed", () => {
  const open: string[] = [];
  for (const [, closing, tag = "", attributes = ""] of renderHtml(report("web")).matchAll(
    /<(\/?)([a-z0-9]+)([^>]*)>/g,
  )) {
    if (["meta", "line", "rect", "path"].includes(tag) || attributes.endsWith("/")) continue;
    if (closing !== "/") open.push(tag);
    else if (open.at(-1) === tag) open.pop();
    else open.push(`/${tag}`);
  }
  expect(open).toEqual([]);
});

test("a fault is drawn from its beginning to its end, to the end of the run, or as a line at its instant", () => {
  const steps = [
    { atMs: 60_000, object: "fault/bus-away", what: "begins", detail: "for 1m" },
    { atMs: 90_000, object: "fault/kill-node", what: "begins", detail: "node-1 forever" },
    { atMs: 95_000, object: "fault/scale", what: "begins", detail: "web replicas=2" },
    { atMs: 120_000, object: "fault/bus-away", what: "ends", detail: "" },
  ];
  const html = renderHtml({ ...report("web"), steps });
  const widths = [...html.matchAll(/class="window" x="[\d.]+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect(widths.map(Math.round)).toEqual([96, 816, 3]);
});
