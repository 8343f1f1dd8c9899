import { findCondition, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { podGc } from "./controller.ts";

async function startCluster() {
  const cluster = new ControllerTestCluster();
  cluster.put("nodes", aNode("n"));
  cluster.put("pods", aPod("p", { node: "n" }));
  await cluster.start(podGc);
  return { cluster, clock: cluster.clock };
}

describe("pods of a deleted node", () => {
  test("are failed and removed in the first period after the quarantine", async () => {
    const { cluster, clock } = await startCluster();
    const seen: Pod[] = [];
    cluster.api.log.subscribe((change) => {
      if (change.resource === "pods") seen.push(change.object as Pod);
    });
    await clock.advance(1000);
    cluster.remove("nodes", cluster.node("n"));
    await clock.advance(58_999);
    expect(cluster.pods()).toHaveLength(1);
    await clock.advance(1);
    expect(cluster.pods()).toEqual([]);
    const [failed] = seen as [Pod];
    expect(failed.status?.phase).toBe("Failed");
    expect(findCondition(failed.status?.conditions, "DisruptionTarget")).toMatchObject({
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    });
  });

  test("remain if the node returns within the quarantine", async () => {
    const { cluster, clock } = await startCluster();
    const node = cluster.node("n");
    cluster.remove("nodes", node);
    await clock.advance(30_000);
    cluster.put("nodes", node);
    await clock.advance(600_000);
    expect(cluster.pods()).toHaveLength(1);
  });

  test("remain if only the cache lacks the node", async () => {
    const { cluster, clock } = await startCluster();
    const node = cluster.node("n");
    cluster.remove("nodes", node);
    await clock.advance(1000);
    cluster.interfere = (request) => (request.path.includes("watch=true") ? "hang" : "pass");
    cluster.api.endWatches();
    await clock.advance(1000);
    cluster.put("nodes", node);
    await clock.advance(600_000);
    expect(cluster.pods()).toHaveLength(1);
  });

  test("remain while the API server is unreachable", async () => {
    const { cluster, clock } = await startCluster();
    cluster.remove("nodes", cluster.node("n"));
    await clock.advance(1000);
    cluster.api.isDown = true;
    await clock.advance(600_000);
    expect(cluster.pods()).toHaveLength(1);
    cluster.api.isDown = false;
    await clock.advance(60_000);
    expect(cluster.pods()).toEqual([]);
  });
});
