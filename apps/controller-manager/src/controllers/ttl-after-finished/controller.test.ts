import { type Job, parseTimestamp } from "@kintsugi/api";
import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { aJob } from "../job/testing/job-world.ts";
import { ttlAfterFinishedController } from "./controller.ts";

const endedAt = "2026-01-01T00:00:00Z";

function ended(type: "Complete" | "Failed" | "Suspended", ttlSecondsAfterFinished?: number): Job {
  const job = aJob(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished });
  return { ...job, status: { conditions: [{ type, status: "True", lastTransitionTime: endedAt }] } };
}

async function livesAfter(job: Job, ms: number): Promise<boolean> {
  const cluster = new ControllerTestCluster();
  cluster.put("jobs", job);
  await cluster.start(ttlAfterFinishedController);
  await cluster.clock.advance(ms);
  return cluster.find("jobs", "sum") !== undefined;
}

test.each<[string, Job, number, boolean]>([
  ["a completed Job remains until its time has passed", ended("Complete", 60), 59_900, true],
  ["and not longer", ended("Complete", 60), 60_100, false],
  ["a failed Job is removed as well", ended("Failed", 60), 60_100, false],
  ["a Job with a zero time to live is removed immediately", ended("Complete", 0), 100, false],
  ["a Job without a time to live remains", ended("Complete"), 3_600_000, true],
  ["a Job that has not finished remains", ended("Suspended", 60), 3_600_000, true],
])("%s", async (_what, job, ms, lives) => {
  expect(await livesAfter(job, ms)).toBe(lives);
});

test("the server determines a Job's lifetime, and its pods are removed with it", async () => {
  const cluster = new ControllerTestCluster();
  cluster.put("jobs", ended("Complete", 60));
  await cluster.start(ttlAfterFinishedController);
  cluster.interfere = ({ path }) => (path.includes("watch=true") ? "hang" : "pass");
  cluster.api.endWatches();
  cluster.put("jobs", ended("Complete", 3600));
  await cluster.clock.advance(120_000);
  expect(cluster.find("jobs", "sum")).toBeDefined();
  const deletions: string[] = [];
  cluster.interfere = ({ method, body }) => {
    if (method === "DELETE") deletions.push(Buffer.from(body ?? []).toString());
    return "pass";
  };
  await cluster.clock.advance(3_600_000);
  expect(deletions).toEqual([expect.stringContaining('"propagationPolicy":"Foreground"')]);
});

test("the delay of a Job's deletion is measured under upstream's name", async () => {
  const cluster = new ControllerTestCluster();
  const metrics = createMetrics();
  cluster.metrics = metrics;
  cluster.put("jobs", ended("Complete", 60));
  await cluster.clock.advance(62_000 - (cluster.clock.nowMs() - parseTimestamp(endedAt)));
  await cluster.start(ttlAfterFinishedController);
  await cluster.clock.advance(100);
  const name = "ttl_after_finished_controller_job_deletion_duration_seconds";
  const lines = (await metrics.exposition()).split("\n");
  expect(lines).toContain(`${name}_bucket{le="1.6"} 0`);
  expect(lines).toContain(`${name}_bucket{le="3.2"} 1`);
});
