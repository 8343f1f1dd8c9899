import { podKind } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import { MemoryStore } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { createRegistry } from "../resources/registry.ts";
import { createSubresources } from "../subresources/subresource-table.ts";
import { NodeRevisions } from "./node-revisions.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const spec = { holderIdentity: "n1", leaseDurationSeconds: 40 };

/** Returns the revisions in the answer to a kubelet's heartbeat. */
async function heard(server: TestServer): Promise<{ pods: number; node: number }> {
  const { headers } = await server.patch(`${leases}/n1`, { spec });
  return { pods: Number(headers["kintsugi-node-pods-revision"]), node: Number(headers["kintsugi-node-revision"]) };
}

test("a restarted server reports a pod that was deleted earlier, however much history is stored", async () => {
  const store = new MemoryStore({}, { windowMs: 0, windowEventsMin: 1 });
  let deleted: number;
  {
    await using server = await TestServer.start({}, { store });
    await server.post(leases, { metadata: { name: "n1" }, spec });
    for (const name of ["a", "b"]) {
      await server.post(podsPath, aPod(name));
      await server.post(`${podsPath}/${name}/binding`, { metadata: { name }, target: { kind: "Node", name: "n1" } });
    }
    await server.delete(`${podsPath}/a?gracePeriodSeconds=0`);
    deleted = store.revision();
    expect((await heard(server)).pods).toBe(deleted);
    // The pod belongs to another node and is newer, so the deletion can no longer be replayed.
    await server.post(podsPath, aPod("elsewhere"));
    expect((await heard(server)).pods).toBe(deleted);
  }
  await using server = await TestServer.start({}, { store });
  expect((await heard(server)).pods).toBeGreaterThanOrEqual(deleted);
});

test("a kubelet is notified that its Node was deleted", async () => {
  await using server = await TestServer.start();
  await server.post(leases, { metadata: { name: "n1" }, spec });
  const { json: node } = await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  expect((await heard(server)).node).toBe(Number(node.metadata.resourceVersion));
  await server.delete("/api/v1/nodes/n1");
  expect((await heard(server)).node).toBe(server.store.revision());
});

test("beyond the limit of stored nodes, a node is never sent an event that is too old", () => {
  const registry = createRegistry([podKind], createSubresources({}));
  const revisions = new NodeRevisions({ store: new MemoryStore(), registry });
  const change = (revision: number, node: string): CommittedChange => ({
    revision,
    resource: "core/pods",
    previousOfResource: 0,
    type: "put",
    entry: {
      key: `core/pods/default/${revision}`,
      revision,
      value: new Uint8Array(),
      index: { uid: "", fields: { "spec.nodeName": node } },
    },
    before: undefined,
  });
  const count = 10_000;
  for (let i = 1; i <= count; i++) expect(revisions.advance(change(i, `n${i}`))).toBe(0);
  expect(revisions.lastOf("n1")).toBe(1);
  revisions.advance(change(count + 1, "n0"));
  expect([revisions.lastOf("n1"), revisions.lastOf("n0")]).toEqual([count + 1, count + 1]);
});
