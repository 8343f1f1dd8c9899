import { describe, expect, test } from "vitest";
import { aCluster, aNode, aPod, podInfo } from "../testing/builders.ts";

describe("the scheduler's cluster state", () => {
  test("an assumed pod uses its resources immediately, and releases them when it is dropped", () => {
    const state = aCluster([aNode("a")]);
    const pod = podInfo("web", { requests: { cpu: "1" }, hostPort: 80, owner: "rs" });
    state.assume(pod, "a");
    expect(state.find("a")?.requested).toMatchObject({ cpu: 1000 });
    expect(state.find("a")?.podsOfOwner("rs")).toBe(1);
    expect(state.forget(pod.uid)).toBe(pod);
    expect(state.find("a")?.requested).toMatchObject({ cpu: 0 });
    expect(state.find("a")?.podsOfOwner("rs")).toBe(0);
    expect(state.nodeOf(pod.uid)).toBeUndefined();
  });

  test("a pod that was confirmed as bound is no longer dropped", () => {
    const state = aCluster([aNode("a")]);
    const pod = podInfo("web");
    state.assume(pod, "a");
    state.putPod(pod, "a");
    expect(state.forget(pod.uid)).toBeUndefined();
    expect(state.nodeOf(pod.uid)).toBe("a");
  });

  test("a pod that was not bound to the assumed node counts only on the node to which it was bound", () => {
    const state = aCluster([aNode("a"), aNode("b")]);
    const pod = podInfo("web", { requests: { cpu: "1" } });
    state.assume(pod, "a");
    state.putPod(pod, "b");
    expect([state.find("a")?.podCount, state.find("b")?.podCount]).toEqual([0, 1]);
  });

  test("assuming a pod that has a node is a programming error", () => {
    const state = aCluster([aNode("a")], { a: [aPod("web")] });
    expect(() => state.assume(podInfo("web"), "a")).toThrow("has a node already");
  });

  test("nominating a pod that has a node is a programming error", () => {
    const state = aCluster([aNode("a")], { a: [aPod("web")] });
    expect(() => state.nominate(podInfo("web"), "a")).toThrow("has a node already");
  });

  test("a node that has lost a pod without the state's knowledge is a programming error, whatever is done to the pod", () => {
    const robbed = () => {
      const state = aCluster([aNode("a"), aNode("b")]);
      state.assume(podInfo("web"), "a");
      state.find("a")?.remove("uid-web");
      return state;
    };
    const broken = "pod uid-web is on a, which does not have it";
    expect(() => robbed().removePod("uid-web")).toThrow(broken);
    expect(() => robbed().forget("uid-web")).toThrow(broken);
    expect(() => robbed().putPod(podInfo("web"), "b")).toThrow(broken);
    expect(() => robbed().putPod(podInfo("web"), "a")).toThrow("is added to a, but was on a");
  });

  test("a node that has a pod which the state placed on another node is a programming error", () => {
    const state = aCluster([aNode("a")]);
    state.find("a")?.put(podInfo("web"));
    expect(() => state.assume(podInfo("web"), "a")).toThrow("is added to a, but was on none");
  });

  test("a newer state of a pod replaces the older", () => {
    const state = aCluster([aNode("a")], { a: [aPod("web", { requests: { cpu: "2" } })] });
    state.putPod(podInfo("web", { requests: { cpu: "1" } }), "a");
    expect(state.find("a")?.requested).toMatchObject({ cpu: 1000 });
    expect(state.find("a")?.podCount).toBe(1);
  });

  test("pods of a node that no longer exists, or is not listed yet, are stored until it is added", () => {
    const state = aCluster([], { a: [aPod("early")] });
    expect(state.nodes).toEqual([]);
    expect(state.find("a")).toBeUndefined();
    state.putNode(aNode("a"));
    expect(state.find("a")?.podCount).toBe(1);
    state.removeNode("a");
    expect(state.nodes).toEqual([]);
    state.putNode(aNode("a"));
    expect(state.find("a")?.podCount).toBe(1);
    state.removeNode("a");
    state.removePod("uid-early");
    state.putNode(aNode("a"));
    expect(state.find("a")?.podCount).toBe(0);
  });

  test("terminating pods use resources, but do not count as their owner's", () => {
    const state = aCluster([aNode("a")], {
      a: [aPod("web", { owner: "rs", terminating: true, requests: { cpu: "1" } })],
    });
    expect(state.find("a")?.podsOfOwner("rs")).toBe(0);
    expect(state.find("a")?.requested).toMatchObject({ cpu: 1000 });
  });
});
