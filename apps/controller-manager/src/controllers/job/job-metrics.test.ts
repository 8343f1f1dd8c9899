import { type Job, type Pod, silentMetrics } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { JobMetrics } from "./job-metrics.ts";
import { aJob, JobWorld } from "./testing/job-world.ts";

async function measuredWorld(job: Job) {
  const world = new JobWorld(job);
  const metrics = createMetrics();
  world.cluster.metrics = metrics;
  const lines = async () =>
    (await metrics.exposition()).split("\n").filter((line) => line.startsWith("job_controller"));
  return { world, lines };
}

test("counts the pods, the indexes and the end of an indexed Job, each exactly once", async () => {
  const { world, lines } = await measuredWorld(
    aJob({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 0 }),
  );
  world.ending = (_pod, nth) => (nth === 1 ? 1 : 0);
  await world.start();
  await world.clock.advance(30_000);
  const now = await lines();
  for (const line of [
    'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 2',
    'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"} 1',
    'job_controller_job_finished_indexes_total{status="succeeded",backoffLimit="perIndex"} 2',
    'job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 1',
    'job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="FailedIndexes"} 1',
    'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 3',
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 3',
    'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 3',
    'job_controller_job_syncs_total{completion_mode="Indexed",result="success",action="pods_created"} 1',
  ])
    expect(now).toContain(line);
  const syncs = (name: string) =>
    now.filter((line) => line.startsWith(`job_controller_${name}{`)).map((line) => line.slice(line.indexOf("{")));
  expect(syncs("job_sync_duration_seconds_count").toSorted()).toEqual(syncs("job_syncs_total").toSorted());
});

test("counts failures by their policy rule's action, replacements by their policy, and failed syncs", async () => {
  const disruption = { type: "DisruptionTarget", status: "True" as const };
  const rules = [{ action: "Ignore" as const, onPodConditions: [disruption] }];
  const { world, lines } = await measuredWorld(aJob({ podFailurePolicy: { rules }, podReplacementPolicy: "Failed" }));
  world.ending = (_pod, nth) => (nth === 0 ? "stays" : nth === 1 ? 1 : 0);
  await world.start();
  await world.clock.advance(500);
  world.cluster.interfere = ({ method, path }) => (method === "PUT" && path.endsWith("/status") ? "refuse" : "pass");
  const [pod] = world.active() as [Pod];
  world.put(pod, (each) => ({ ...each, status: { ...each.status, phase: "Failed", conditions: [disruption] } }));
  await world.clock.advance(500);
  world.cluster.interfere = () => "pass";
  await world.clock.advance(60_000);
  expect(world.conditions()).toContain("Complete: CompletionsReached");
  const now = await lines();
  for (const line of [
    'job_controller_pod_failures_handled_by_failure_policy_total{action="Ignore"} 1',
    'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 2',
    'job_controller_job_pods_creation_total{reason="recreate_failed",status="succeeded"} 1',
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
    'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"} 1',
  ])
    expect(now).toContain(line);
  expect(now.some((line) => line.startsWith("job_controller_job_syncs_total{") && line.includes('"error"'))).toBe(true);
});

test("counts Jobs of other controllers by name, up to a limit, and does not run them", async () => {
  const { world, lines } = await measuredWorld(aJob({ managedBy: "example.com/queue" }));
  await world.start();
  await world.clock.advance(1000);
  expect([world.created, await lines()]).toEqual([
    0,
    expect.arrayContaining(['job_controller_jobs_by_external_controller_total{controller_name="example.com/queue"} 1']),
  ]);

  const counted: (string | undefined)[] = [];
  const counter = {
    add: (_: number, labels = {}) => void counted.push(Object.values(labels)[0] as string),
    remove() {},
  };
  const metrics = new JobMetrics({ clock: new VirtualClock(), metrics: { ...silentMetrics, counter: () => counter } });
  for (let i = 0; i < 150; i++) metrics.managedElsewhere(`example.com/${i}`);
  metrics.managedElsewhere("example.com/0");
  expect(new Set(counted).size).toBe(101);
  expect([counted[99], counted[100], counted[150]]).toEqual(["example.com/99", "other", "example.com/0"]);
});
