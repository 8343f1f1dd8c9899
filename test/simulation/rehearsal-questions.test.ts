import { fileURLToPath } from "node:url";
import type { Lease } from "@kintsugi/api";
import { makePicture, type RehearsalQuestion, startState, timingsOf } from "@kintsugi/rehearsal";
import { drawnBehaviour, readSource, recordRun, runQuestion, settle } from "@kintsugi/simulator/factory";
import { beforeAll, expect, test } from "vitest";

const from = fileURLToPath(new URL("../../demo/rehearsals/webhook-fails-closed", import.meta.url));
const timeout = 120_000;
const minutes = (count: number) => count * 60_000;

let live: (question: RehearsalQuestion) => ReturnType<typeof runQuestion>;
let record: (question: RehearsalQuestion) => ReturnType<typeof recordRun>;

beforeAll(async () => {
  const source = await readSource({ from, kubeconfig: undefined, context: undefined, nodes: undefined }, () => {});
  const picture = makePicture(source);
  const made = startState(picture);
  const behaviour = drawnBehaviour(timingsOf(picture), made);
  const start = await settle(made, behaviour, 1);
  live = (question) => runQuestion({ start, behaviour }, { question, seed: 1 });
  record = (question) => recordRun({ start, behaviour }, { question, seed: 1 });
}, timeout);

test(
  "a webhook that does not answer prevents the replacement of a lost pod",
  async () => {
    const question = { kind: "nodes-off", about: "", nodes: ["node-3"] } as const;
    const silentWebhooks = ["https://policy.policy.svc:443/"];
    const solo = (await live({ ...question, silentWebhooks })).workloads.find(({ workload }) =>
      workload.endsWith("solo"),
    );
    expect(solo?.isDownAtEnd).toBe(true);
    expect(solo?.chain.at(-1)?.what).toMatch(/no pod can be created: .*failed to call webhook/);
  },
  timeout,
);

test(
  "a scenario cuts a node off and restores it, and drains another in the meantime",
  async () => {
    const { workloads, drains } = await live({
      kind: "scenario",
      about: "",
      runMs: minutes(3),
      faults: [
        { fault: "cut-node", atMs: 10_000, forMs: 30_000, target: "node-3" },
        { fault: "drain", atMs: minutes(1), forMs: minutes(1), target: "node-1" },
      ],
    });
    const solo = workloads.find(({ workload }) => workload.endsWith("solo"));
    expect(solo?.chain.map(({ what }) => what)).toEqual(["node node-3 is cut off", "node node-3 is back"]);
    expect(solo?.downtimeMs).toBe(30_000);
    expect(drains).toMatchObject([{ node: "node-1", isDone: true, fromMs: minutes(1) }]);
  },
  timeout,
);

test(
  "pods do not change while the control plane is down, and no pod is replaced until it returns",
  async () => {
    const away = ["api-server", "scheduler", "controller-manager"].map((target) => ({
      fault: "kill-service",
      atMs: 0,
      forMs: minutes(10),
      target,
    }));
    const lost = { fault: "kill-node", atMs: minutes(1), target: "node-3", stays: true as const };
    const { workloads } = await live({ kind: "scenario", about: "", runMs: minutes(10), faults: [...away, lost] });
    const solo = workloads.find(({ workload }) => workload.endsWith("solo"));
    const [gone, noticed] = solo?.chain ?? [];
    expect(gone).toEqual({ atMs: minutes(1), is: "lost", what: "node node-3 fails" });
    expect(noticed?.atMs).toBeGreaterThan(minutes(10));
    expect(solo?.downtimeMs).toBeGreaterThan(minutes(14));
    expect(workloads.filter(({ isDownAtEnd }) => isDownAtEnd)).toEqual([]);
  },
  timeout,
);

test(
  "a recorded run equals the counted run, with its objects, faults and causes",
  async () => {
    const question = { kind: "nodes-off", about: "node node-3 fails", nodes: ["node-3"] } as const;
    const [outcome, story] = [await live(question), await record(question)];
    expect(story.toMs - story.fromMs).toBe(outcome.durationMs);
    const solo = story.pods?.find(({ workload }) => workload === "solo")?.samples ?? [];
    const downMs = solo.reduce(
      (sum, { atMs, available }, index) => sum + (available === 0 ? (solo[index + 1]?.atMs ?? story.toMs) - atMs : 0),
      0,
    );
    expect(downMs).toBe(outcome.workloads.find(({ workload }) => workload.endsWith("solo"))?.downtimeMs);
    expect(story.faults).toEqual([{ fromMs: story.fromMs, toMs: story.toMs, text: "node-3 is off" }]);
    expect(story.captions.map(({ text }) => text)).toContain("The cluster detects that node-3 is silent");
    const first = story.changes.filter(({ atMs }) => atMs === story.fromMs);
    expect(new Set(first.map(({ kind }) => kind))).toEqual(
      new Set(["nodes", "pods", "leases", "deployments", "replicasets", "services", "endpointslices", "events"]),
    );
    // A player shows a node without heartbeats as silent.
    const renewals = story.changes.filter(
      ({ kind, object }) => kind === "leases" && (object as Lease).metadata.name === "node-1",
    );
    const pausesMs = renewals.slice(1).map(({ atMs }, index) => atMs - (renewals[index]?.atMs ?? 0));
    expect(Math.max(...pausesMs)).toBeLessThan(20_000);
  },
  timeout,
);
