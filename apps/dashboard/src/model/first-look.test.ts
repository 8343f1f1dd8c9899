import { describe, expect, test } from "vitest";
import { firstLook, type LookedAt, type LookedAtNode } from "./first-look.ts";
import type { RunningTimer } from "./running-timers.ts";

const node = (name: string, more: Partial<LookedAtNode> = {}): LookedAtNode => ({
  name,
  state: "ready",
  silentSinceMs: undefined,
  pods: 3,
  ...more,
});
const pod = (name: string) => ({ kind: "Pod", namespace: "default", name });
const timer = (about: RunningTimer["about"], name: RunningTimer["timer"], atMs: number): RunningTimer => ({
  about,
  timer: name,
  sinceMs: 0,
  atMs,
  because: "It waits.",
  next: "",
});
const quiet: LookedAt = {
  nodes: [node("node-1"), node("node-2")],
  workloads: [{ name: "web", ready: 6, wanted: 6, isShort: false }],
  runningTimers: [],
  nodeOf: () => "node-2",
  graceMs: 4_000,
  pendingPods: 0,
  startMs: 800,
  mended: undefined,
};
const sentence = (seen: Partial<LookedAt>, nowMs = 10_000) => {
  const { title, next } = firstLook({ ...quiet, ...seen }, nowMs);
  return [title, `${next.before} ${next.leftMs ?? "-"} ${next.after}`.trim()];
};

describe("the first look", () => {
  test("reports a healthy cluster with numbers", () => {
    expect(firstLook(quiet, 0)).toEqual({
      isWell: true,
      title: "All is well",
      facts: "2 of 2 nodes Ready, 6 of 6 pods Ready",
      next: { before: "No timer is running, and nothing is awaited.", leftMs: undefined, after: "" },
    });
  });

  test("counts down to the end of a silent node's grace period before the API reports anything", () => {
    const nodes = [node("node-1"), node("node-2", { silentSinceMs: 7_000 })];
    expect(sentence({ nodes })).toEqual([
      "node-2 is silent",
      "node-2 has been silent for 3.0 s. In 1000 it counts as NotReady, and the toleration of its 3 pods begins.",
    ]);
  });

  test("counts down to the end of a NotReady node's pods, and states what follows", () => {
    const nodes = [node("node-1"), node("node-2", { state: "silent", silentSinceMs: 1_000 })];
    const abouts = [{ kind: "Node", namespace: "", name: "node-2" }, ...["a", "b", "c"].map(pod)];
    const runningTimers = abouts.map((about) => timer(about, "toleration", 11_200));
    const workloads = [{ name: "web", ready: 3, wanted: 6, isShort: true }];
    expect(sentence({ nodes, runningTimers, workloads })).toEqual([
      "node-2 is NotReady, web runs 3 of 6 pods",
      "node-2 has been silent for 9.0 s. In 1200 its 3 pods are evicted; web then runs 6 of 6 within about 1 s.",
    ]);
  });

  test("does not promise replacements when no node reports", () => {
    const nodes = [node("node-2", { state: "silent", silentSinceMs: 1_000 })];
    const runningTimers = [timer({ kind: "Node", namespace: "", name: "node-2" }, "toleration", 11_200)];
    const workloads = [{ name: "web", ready: 0, wanted: 3, isShort: true }];
    expect(sentence({ nodes, runningTimers, workloads })[1]).toBe(
      "node-2 has been silent for 9.0 s. In 1200 its 3 pods are evicted; no node can run replacements.",
    );
  });

  test("waits for successors without a timer, and does not promise a time that was never measured", () => {
    const workloads = [{ name: "web", ready: 4, wanted: 6, isShort: true }];
    expect(sentence({ workloads })[1]).toBe("2 pods of web start, as a rule within 1 s. -");
    expect(sentence({ workloads, startMs: undefined })[1]).toBe("2 pods of web start. -");
  });

  test("counts the pods that run where the API still counts lost pods as Ready", () => {
    const workloads = [{ name: "web", ready: 6, available: 4, wanted: 6, isShort: true }];
    expect(sentence({ workloads })).toEqual([
      "web runs 4 of 6 pods",
      "2 pods of web do not run, and the API still counts them as Ready. -",
    ]);
  });

  test("names the timer of a container that waits for its start", () => {
    const runningTimers = [
      { ...timer(pod("web-1"), "restart back-off", 22_000), because: "Container c keeps ending:" },
    ];
    expect(sentence({ runningTimers })[1]).toBe(
      "Pod web-1: Container c keeps ending. In 12000 its restart back-off ends.",
    );
  });

  test("states that pods are Pending, and that a failed node without pods does not cause a delay", () => {
    expect(sentence({ pendingPods: 2 })).toEqual(["2 pods Pending", "No node can take 2 Pending pods now. -"]);
    // Successors that no node can take do not start "as a rule within 1 s".
    const workloads = [{ name: "web", ready: 6, wanted: 9, isShort: true }];
    const { next } = firstLook({ ...quiet, workloads, pendingPods: 1, pendingPod: pod("web-9") }, 0);
    expect([next.before, next.why]).toEqual(["No node can take 1 Pending pod now.", pod("web-9")]);
    const nodes = [node("node-1"), node("node-2", { state: "silent", silentSinceMs: 0, pods: 0 })];
    expect(sentence({ nodes })[1]).toBe(
      "node-2 has been silent for 10 s. Its pods run on other nodes, and no timer waits for it. -",
    );
  });

  test("drops nodes that no longer exist and timers that have ended", () => {
    const runningTimers = [timer(pod("a"), "toleration", 9_000)];
    expect(sentence({ nodes: [node("node-1"), node("old", { state: "gone" })], runningTimers })).toEqual([
      "All is well",
      "No timer is running, and nothing is awaited. -",
    ]);
  });
});
