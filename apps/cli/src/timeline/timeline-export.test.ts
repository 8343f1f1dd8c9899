import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles, type TimelineEntry } from "@kintsugi/api";
import { shortagesOf, type StoryRecording } from "@kintsugi/story";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playerPageOf } from "./timeline-export.ts";

const set = "web-774cf65957";
const metadata = { name: set, namespace: "default", uid: "u" };

function step(timeMs: number, what: string, rest: Partial<TimelineEntry>): TimelineEntry {
  return { timeMs, revision: timeMs, kind: "Pod", namespace: "default", name: "", node: "", what, detail: "", ...rest };
}

const onNode = (timeMs: number, name: string, ready: string) =>
  step(timeMs, "condition", { kind: "Node", namespace: "", name, node: name, detail: `Ready=${ready}` });

/** A pod's steps until Ready, whose node reports the start of its container to the second. */
function runOf(suffix: string, node: string, createdMs: number): TimelineEntry[] {
  const pod = { name: `${set}-${suffix}`, node };
  const runningMs = createdMs + 300;
  return [
    step(createdMs, "created", { ...pod, node: "" }),
    step(createdMs + 50, "bound", { ...pod, detail: node }),
    step(Math.floor(runningMs / 1000) * 1000, "container-running", { ...pod, detail: "main", committedMs: runningMs }),
    step(runningMs, "condition", { ...pod, detail: "Ready=True" }),
  ];
}

const steps = [
  ...["n1", "n2"].map((name) => onNode(1000, name, "True")),
  ...runOf("bbbbb", "n1", 2100),
  ...runOf("ccccc", "n2", 2200),
  onNode(10_000, "n2", "Unknown"),
  step(15_000, "terminating", { name: `${set}-ccccc`, node: "n2", detail: "grace period 1 s" }),
  ...runOf("ddddd", "n1", 15_100),
  onNode(20_000, "n2", "True"),
];
const owner = (namespace: string) => ({
  kind: "replicasets" as const,
  object: { metadata: { ...metadata, namespace }, spec: { replicas: 2 } },
});
const history = { steps, events: [], owners: [owner("default"), owner("other")], nowMs: 30_000 };

let playerDirectory: string;

beforeAll(async () => {
  playerDirectory = await mkdtemp(join(tmpdir(), "kintsugi-player-"));
  for (const name of ["player.js", "player.css"]) await writeFile(join(playerDirectory, name), "");
});

afterAll(() => rm(playerDirectory, { recursive: true }));

const written = (published?: { page: string; picture: string }) =>
  playerPageOf(history, { clusterName: "c", profile: "fast", playerDirectory, published });

test("a pod that is created and started in the same second is one pod, and replaces the lost pod", () => {
  const { page } = written();
  expect(page).toContain("n2: all replacements were ready.");
});

test("a recording of a cluster has the counts of its pods, and the silences of its nodes as faults", () => {
  const { page } = written();
  const [, json = ""] = /id="recording">([^<]*)</.exec(page) ?? [];
  const { pods, faults, toMs } = JSON.parse(json) as StoryRecording;
  expect(pods?.map(({ of }) => of)).toEqual([{ kind: "ReplicaSet", namespace: "default", name: set }]);
  const [{ samples } = { samples: [] }] = pods ?? [];
  // n2 became silent one grace period before the API showed that.
  const silentMs = 10_000 - profiles.fast.nodeMonitorGracePeriodMs;
  expect(faults).toEqual([{ fromMs: silentMs, toMs: 20_000, text: "n2 silent" }]);
  expect(samples).toContainEqual({ atMs: silentMs, wanted: 2, ready: 2, available: 1 });
  expect(samples.at(-1)).toMatchObject({ wanted: 2, ready: 2, available: 2 });
  expect(shortagesOf(samples, toMs).degradedMs).toBe(15_400 - silentMs);
});

test("a page for a site names its picture, which is the picture of the same pods", () => {
  const { page, picture } = written({ page: "https://example.org/c.html", picture: "https://example.org/c.png" });
  expect(page).toContain('<meta property="og:image" content="https://example.org/c.png">');
  expect(
    Buffer.from(picture ?? [])
      .subarray(1, 4)
      .toString("latin1"),
  ).toBe("PNG");
  expect(written().page).toContain('<meta property="og:image" content="data:image/svg+xml,');
});
