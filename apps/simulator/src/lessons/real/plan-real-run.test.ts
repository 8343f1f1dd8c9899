import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lessons, type RunSubject } from "@kintsugi/story";
import { expect, test } from "vitest";
import { planLesson } from "../real-lesson.ts";
import { scaledMillicores } from "./plan-real-run.ts";

const shippedDirectory = fileURLToPath(new URL("../../../scenarios", import.meta.url));

function planOf(id: string, settings: readonly string[] = []) {
  const subject = lessons.find((lesson) => lesson.id === id)?.subject as RunSubject;
  const { plan } = planLesson(subject, settings, { shippedDirectory });
  if (!plan.isPossible) throw new Error(plan.because);
  return plan;
}

/** The acts as a user would write them. */
function actsOf(id: string): string[] {
  return planOf(id).acts.map(({ atMs, action }) => {
    const at = `${atMs / 1000} s`;
    if (action.is === "command") return `${at}: ${action.words.join(" ")}`;
    return `${at}: ${action.is} ${"program" in action ? action.program : action.workload}`;
  });
}

test.each([
  ["node-dead", ["60 s: node kill node-2"]],
  ["partition-within-grace", ["60 s: node partition node-3", "85 s: node heal node-3"]],
  ["kubelet-restarted-quickly", ["60 s: node stop-kubelet node-1", "85 s: node start-kubelet node-1"]],
  ["two-nodes-die", ["60 s: node kill node-2", "180 s: node kill node-1"]],
  [
    "controller-manager-away",
    ["60 s: pause controller-manager", "120 s: node kill node-2", "360 s: resume controller-manager"],
  ],
  ["server-without-log", ["60 s: server partition server-2 --from etcd", "420 s: server heal server-2"]],
  ["rollout-stops", ["60 s: break-image web", "360 s: mend-image web"]],
  ["one-of-three-dies", ["60 s: server kill server-1", "120 s: node kill node-2"]],
  ["crash-loop-for-ever", []],
])("the lesson %s has the lab's own faults at its times", (id, acts) => {
  expect(actsOf(id)).toEqual(acts);
});

test("the cluster has the nodes, zones, servers and timers of the lesson", () => {
  const { topology } = planOf("zone-lost");
  expect(topology.nodes).toContainEqual({ name: "c-2", zone: "c" });
  expect(topology).toMatchObject({ name: "learn", profile: "kubernetes" });
  expect(planOf("leader-lost").topology.servers).toBe(3);
  expect(planOf("node-back-rebalanced").topology.rebalance).toBe(true);
  const changed = ["timers.pod-eviction-timeout=30s", "timers.node-monitor-grace-period=20s", "nodes=4"];
  const { topology: own } = planOf("two-nodes-die", changed);
  expect(own.nodes.length).toBe(4);
  expect(own.apiServer).toEqual({ "pod-eviction-timeout": "30s" });
  expect(own.controllerManager).toMatchObject({ "node-monitor-grace-period": "20s" });
});

test("a lesson without counterpart on real containers states its reason in one sentence", () => {
  expect(() => planOf("bus-in-disorder")).toThrow(/^the message bus of a real cluster delivers in order/);
});

test("as many pods fit on a node of the host as on a node of a simulated run", () => {
  for (const processors of [2, 4, 16, 3]) {
    const [each, capacity] = [scaledMillicores(1500, processors), processors * 1000];
    expect(Math.floor(capacity / each)).toBe(2);
  }
});

test("every shipped scenario can be planned, or states why not", () => {
  expect(readdirSync(shippedDirectory).length).toBeGreaterThan(20);
  const runs = lessons.filter(({ subject }) => subject.is === "run");
  const impossible = runs.filter(
    ({ subject }) => !planLesson(subject as RunSubject, [], { shippedDirectory }).plan.isPossible,
  );
  expect(impossible.map(({ id }) => id)).toEqual(["bus-in-disorder"]);
  expect(lessons.filter(({ isVirtualOnly }) => isVirtualOnly === true)).toEqual(impossible);
});
