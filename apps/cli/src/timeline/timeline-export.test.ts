import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TimelineEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
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

test("a pod that is created and started in the same second is one pod, and replaces the lost pod", async () => {
  const playerDirectory = await mkdtemp(join(tmpdir(), "kintsugi-player-"));
  try {
    for (const name of ["player.js", "player.css"]) await writeFile(join(playerDirectory, name), "");
    const steps = [
      ...["n1", "n2"].map((name) => onNode(1000, name, "True")),
      ...runOf("bbbbb", "n1", 2100),
      ...runOf("ccccc", "n2", 2200),
      onNode(10_000, "n2", "Unknown"),
      step(15_000, "terminating", { name: `${set}-ccccc`, node: "n2", detail: "grace period 1 s" }),
      ...runOf("ddddd", "n1", 15_100),
      onNode(20_000, "n2", "True"),
    ];
    const history = {
      steps,
      events: [],
      owners: [{ kind: "replicasets", object: { metadata } } as const],
      nowMs: 30_000,
    };
    const page = await playerPageOf(history, { clusterName: "c", profile: "fast", playerDirectory });
    expect(page).toContain("n2: all replacements were ready.");
  } finally {
    await rm(playerDirectory, { recursive: true });
  }
});
