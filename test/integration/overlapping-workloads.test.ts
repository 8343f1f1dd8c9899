import {
  type ApiObject,
  daemonSets,
  deployments,
  type Pod,
  pods,
  replicaSets,
  replicationControllers,
  type ResourceType,
  statefulSets,
} from "@kintsugi/api";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

// Workloads that select each other's pods: an owner does not touch the pods of another owner, and
// adopts pods without an owner.

const second = 1000;
const namespace = "default";
const app = "shared";
const labels = { app };
const podSpec = { containers: [{ name: "main", image: "script.kintsugi.dev/run" }] };
const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };

interface Owner {
  kind: string;
  type: ResourceType<ApiObject>;
  spec: object;
  /** The number of the workload's pods on the two nodes of the cluster. */
  pods: number;
}

const deployment: Owner = {
  kind: "Deployment",
  type: deployments as Owner["type"],
  spec: { replicas: 2, ...spec },
  pods: 2,
};
const replicaSet: Owner = {
  kind: "ReplicaSet",
  type: replicaSets as Owner["type"],
  spec: { replicas: 2, ...spec },
  pods: 2,
};
const daemonSet: Owner = { kind: "DaemonSet", type: daemonSets as Owner["type"], spec, pods: 2 };
const statefulSet: Owner = {
  kind: "StatefulSet",
  type: statefulSets as Owner["type"],
  spec: { replicas: 2, serviceName: app, ...spec },
  pods: 2,
};
const controller: Owner = {
  kind: "ReplicationController",
  type: replicationControllers as Owner["type"],
  spec: { replicas: 2, selector: labels, template: spec.template },
  pods: 2,
};

const pairs: [Owner, Owner][] = [
  [deployment, deployment],
  [statefulSet, statefulSet],
  [daemonSet, daemonSet],
  [controller, replicaSet],
  [deployment, statefulSet],
  [daemonSet, deployment],
];

describe("two workloads that select the same pods", () => {
  let cluster: VirtualCluster;
  let turn = 0;
  beforeAll(async () => {
    cluster = await startVirtualCluster({ nodes: 2, profile: "fast" });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(() => void (turn += 1));

  const listed = async (): Promise<Pod[]> => (await cluster.client.list(pods, { namespace })).items;
  const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => a.localeCompare(b));
  const uids = async () => sorted((await listed()).map(({ metadata: { uid = "" } }) => uid));
  const create = ({ type, spec: ofOwner }: Owner, name: string) =>
    cluster.during(cluster.client.create(type, { metadata: { name, namespace }, spec: ofOwner } as ApiObject));
  const remove = async ({ type }: Owner, name: string, propagationPolicy: "Background" | "Orphan" = "Background") => {
    await cluster.during(cluster.client.delete(type, { namespace, name }, { propagationPolicy }));
    await cluster.advance(8 * second);
  };
  /** The names of an owner's pods, whose ReplicaSet may be in between. */
  const podsOf = async (name: string) =>
    (await listed()).filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.name.startsWith(name)));

  test.each(pairs.map(([one, two]) => ({ one, two })))(
    "a $one.kind and a $two.kind keep their own pods, and the end of the second does not end the first",
    async ({ one, two }) => {
      const [first, other] = [`one-${turn}`, `two-${turn}`];
      await create(one, first);
      await cluster.advance(10 * second);
      const ofFirst = sorted((await podsOf(first)).map(({ metadata }) => metadata.uid ?? ""));
      expect(ofFirst).toHaveLength(one.pods);
      await create(two, other);
      await cluster.advance(10 * second);
      const all = await uids();
      expect((await podsOf(other)).length).toBe(two.pods);
      expect(all).toHaveLength(one.pods + two.pods);
      // Once both workloads are complete, their owners do not make further changes.
      await cluster.advance(30 * second);
      expect(await uids()).toEqual(all);
      await remove(two, other);
      expect(await uids()).toEqual(ofFirst);
      await remove(one, first);
      expect(await uids()).toEqual([]);
    },
  );

  const barePod = (name: string, nodeName: string): Pod => ({
    metadata: { name, namespace, labels },
    spec: { ...podSpec, nodeName },
  });
  const nodeNames = () => cluster.nodes.map(({ name }) => name);

  test("a DaemonSet adopts a bare pod with its labels, and keeps one pod on each node", async () => {
    const [here = ""] = nodeNames();
    await cluster.during(cluster.client.create(pods, barePod("bare", here)));
    await cluster.advance(3 * second);
    const name = `adopter-${turn}`;
    await create(daemonSet, name);
    await cluster.advance(10 * second);
    const all = await listed();
    expect(sorted(all.map((pod) => pod.spec?.nodeName ?? ""))).toEqual(sorted(nodeNames()));
    expect(all.every(({ metadata }) => metadata.ownerReferences?.[0]?.name === name)).toBe(true);
    await remove(daemonSet, name);
    expect(await listed()).toEqual([]);
  });

  test("a DaemonSet ignores a bare pod without its labels", async () => {
    const [here = ""] = nodeNames();
    const bare = barePod("bare", here);
    await cluster.during(
      cluster.client.create(pods, { ...bare, metadata: { ...bare.metadata, labels: { app: "x" } } }),
    );
    const name = `aside-${turn}`;
    await create(daemonSet, name);
    await cluster.advance(10 * second);
    const left = await cluster.client.get(pods, { namespace, name: "bare" });
    expect(left.metadata.ownerReferences ?? []).toEqual([]);
    expect((await podsOf(name)).length).toBe(2);
    await remove(daemonSet, name);
    expect((await listed()).map(({ metadata }) => metadata.uid)).toEqual([left.metadata.uid]);
    await cluster.during(cluster.client.delete(pods, { namespace, name: "bare" }));
    await cluster.advance(8 * second);
  });

  test("one owner's orphans are adopted by the other owner, which then has no surplus pods", async () => {
    const [first, other] = [`left-${turn}`, `heir-${turn}`];
    await create(controller, first);
    await create(replicaSet, other);
    await cluster.advance(10 * second);
    expect(await listed()).toHaveLength(4);
    await remove(controller, first, "Orphan");
    const kept = await listed();
    expect(kept).toHaveLength(2);
    expect(kept.every(({ metadata }) => metadata.ownerReferences?.[0]?.name === other)).toBe(true);
    await remove(replicaSet, other);
    expect(await listed()).toEqual([]);
  });
});
