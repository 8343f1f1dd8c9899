import { type Pod, silentLogger } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type ClusterEvent, eventLabel, podInfoOf } from "@kintsugi/scheduling";
import { aCluster, aNode, aPod } from "@kintsugi/scheduling/testing";
import { ClusterWatcher } from "./cluster-watcher.ts";

describe("a pod's nomination", () => {
  test("is the API's value and the scheduler's own decision, until the API reports a new value", () => {
    const { state, watcher, events } = aWatcher();
    const [plain, toA, toB] = [nominated(), nominated("a"), nominated("b")];
    watcher.onPod({ type: "added", object: toA });
    expect(state.nominatedNode("uid-web")).toBe("a");
    state.nominate(podInfoOf(toA), "b");
    watcher.onPod({ type: "modified", object: nominated("a"), before: toA });
    expect(state.nominatedNode("uid-web")).toBe("b");
    watcher.onPod({ type: "modified", object: toB, before: toA });
    expect([state.nominatedNode("uid-web"), events]).toEqual(["b", []]);
    watcher.onPod({ type: "modified", object: plain, before: toB });
    expect(state.nominatedNode("uid-web")).toBeUndefined();
    expect(events).toEqual(["AssignedPodDelete b"]);
  });

  test.each<[string, (pod: Pod) => Parameters<ClusterWatcher["onPod"]>[0]]>([
    ["it is removed", (object) => ({ type: "deleted", object })],
    ["it is terminating", (object) => modified(object, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })],
    ["it has ended", (object) => modified(object, { status: { phase: "Failed" } })],
    ["it is bound to another node", (object) => modified(object, { spec: { containers: [], nodeName: "b" } })],
  ])("is free for other pods once %s", (_, change) => {
    const { state, watcher, events } = aWatcher();
    watcher.onPod({ type: "added", object: nominated("a") });
    watcher.onPod(change(nominated("a")));
    expect(state.nominatedNode("uid-web")).toBeUndefined();
    expect(events).toContain("AssignedPodDelete a");
  });

  test("is empty for a pod that is known to be bound, even after a stale update", () => {
    const { state, watcher } = aWatcher();
    watcher.onPod({ type: "added", object: nominated() });
    state.putPod(podInfoOf(nominated()), "a");
    watcher.onPod({ type: "modified", object: nominated("b"), before: nominated() });
    expect([state.nominatedNode("uid-web"), state.nodeOf("uid-web")]).toEqual([undefined, "a"]);
  });
});

describe("a change of a placed pod", () => {
  const running = (startTime: string, more: Partial<Pod["metadata"]> = {}): Pod => {
    const pod = aPod("web", { status: { phase: "Running", startTime } });
    return { ...pod, metadata: { ...pod.metadata, ...more }, spec: { containers: [], ...pod.spec, nodeName: "a" } };
  };
  const placedIn = (state: ReturnType<typeof aWatcher>["state"]) => {
    const node = state.nodes.find(({ name }) => name === "a");
    return [...(node?.pods() ?? [])].map(({ pod, labels }) => ({ pod, labels }));
  };

  test("is taken over if its node only reports status: the pod is not computed again, and no pod is woken", () => {
    const { state, watcher, events } = aWatcher();
    const pending = { ...running("2026-01-01T00:00:00Z"), status: { phase: "Pending" as const } };
    const bound = { ...pending, status: { ...pending.status, startTime: "2026-01-01T00:00:00Z" } };
    watcher.onPod({ type: "added", object: bound });
    const [before] = placedIn(state);
    const reported = running("2026-01-01T00:00:00Z", { resourceVersion: "9" });
    watcher.onPod({ type: "modified", object: reported, before: bound });
    expect(placedIn(state)).toEqual([{ pod: reported, labels: before?.labels }]);
    // The same labels object: the pod was not read again.
    expect(placedIn(state)[0]?.labels).toBe(before?.labels);
    expect(events).toEqual(["AssignedPodAdd"]);
  });

  test("is computed again if it is more than a report", () => {
    const { state, watcher, events } = aWatcher();
    const bound = running("2026-01-01T00:00:00Z");
    watcher.onPod({ type: "added", object: bound });
    const labelled = running("2026-01-01T00:00:00Z", { labels: { app: "web" } });
    watcher.onPod({ type: "modified", object: labelled, before: bound });
    expect(placedIn(state)).toEqual([{ pod: labelled, labels: { app: "web" } }]);
    expect(events).toHaveLength(2);
  });

  test("of a pod that is only assumed on the node ends the assumption", () => {
    const { state, watcher } = aWatcher();
    const bound = running("2026-01-01T00:00:00Z");
    state.assume(podInfoOf(bound), "a");
    watcher.onPod({
      type: "modified",
      object: running("2026-01-01T00:00:00Z", { resourceVersion: "9" }),
      before: bound,
    });
    expect(state.isAssumed("uid-web")).toBe(false);
  });
});

function aWatcher() {
  const state = aCluster([aNode("a"), aNode("b")]);
  const events: string[] = [];
  const onEvent = (event: ClusterEvent) =>
    void events.push(`${eventLabel(event)}${event.is === "AssignedPodDelete" ? ` ${event.nodeName}` : ""}`);
  const queue = { put: () => {}, remove: () => {}, onEvent };
  const watcher = new ClusterWatcher({ state, log: silentLogger, queue }, { schedulerName: "default-scheduler" });
  return { state, watcher, events };
}

function nominated(nominatedNodeName?: string): Pod {
  return aPod("web", nominatedNodeName === undefined ? {} : { status: { nominatedNodeName } });
}

function modified(before: Pod, { metadata, spec, status }: Partial<Pick<Pod, "metadata" | "spec" | "status">>) {
  const object: Pod = {
    ...before,
    metadata: { ...before.metadata, ...metadata },
    ...(spec === undefined ? {} : { spec }),
    status: { ...before.status, ...status },
  };
  return { type: "modified" as const, object, before };
}
