import {
  type ApiObject,
  events,
  type Event,
  type Node,
  nodes,
  parseIpv4Range,
  type ResourceType,
  type Service,
  services,
  silentLogger,
  silentMetrics,
} from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { type CloudCallName, type CloudFault, withCloudFaults } from "@kintsugi/cloud";
import { FakeLabCloud } from "@kintsugi/cloud/simulated";
import { afterEach, expect, test } from "vitest";
import { runCloudControllers } from "./cloud-controllers.ts";

const kinds: readonly ResourceType[] = [events, nodes, services];
const finalizer = "service.kubernetes.io/load-balancer-cleanup";

/** The service over a fake cloud, in virtual time. */
class World {
  readonly clock = new VirtualClock();
  readonly random = new SeededRandom(1);
  readonly cloud = new FakeLabCloud(this);
  readonly faults = new Map<CloudCallName, CloudFault>();
  readonly client: Client;
  readonly #stop = new AbortController();

  constructor() {
    const { clock, random } = this;
    const handler = new MemoryApi({ clock, random }, kinds);
    this.client = createInProcessClient({ handler, clock, random }, { identity: { name: "test", groups: [] } });
  }

  async start(): Promise<void> {
    const { clock, random, client, faults } = this;
    const cloud = withCloudFaults(this.cloud, { clock, faultOf: (name) => faults.get(name) });
    const timers = { nodeMonitorPeriodMs: 5_000, nodeStatusUpdateMs: 300_000, serviceSyncPeriodMs: 300_000 };
    const deps = { client, clock, random, log: silentLogger, metrics: silentMetrics, cloud };
    const routes = { clusterRange: parseIpv4Range("10.64.0.0/16"), periodMs: 10_000 };
    void runCloudControllers(deps, { timers, routes }, this.#stop.signal);
    await clock.advance(10);
  }

  put<T extends ApiObject>(type: ResourceType<T>, object: T): Promise<T> {
    return this.client.create(type, object);
  }

  /** Registers the Node of a machine, as its kubelet does. */
  async register(name: string, { provided }: { provided?: string } = {}): Promise<void> {
    this.cloud.host.add(name);
    const address = this.cloud.host.machines.get(name)?.addresses[0]?.address ?? "";
    await this.put(nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, annotations: { "alpha.kubernetes.io/provided-node-ip": provided ?? address } },
      spec: {
        taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }],
      },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    } as Node);
    await this.clock.advance(100);
  }

  node(name: string): Promise<Node | undefined> {
    return this.client.find(nodes, { namespace: "", name });
  }

  async report(name: string, ready: "True" | "Unknown"): Promise<void> {
    const node = await this.client.get(nodes, { namespace: "", name });
    const status = { ...node.status, conditions: [{ type: "Ready", status: ready }] };
    await this.client.update(nodes, { ...node, status } as Node, { subresource: "status" });
    await this.clock.advance(6_000);
  }

  async serve(spec: object = {}): Promise<void> {
    const ports = [{ name: "http", port: 80, protocol: "TCP", nodePort: 30_080 }];
    await this.put(services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "default" },
      spec: { type: "LoadBalancer", ports, ...spec },
    } as Service);
    await this.clock.advance(200);
  }

  service(): Promise<Service | undefined> {
    return this.client.find(services, { namespace: "default", name: "web" });
  }

  async change(spec: object): Promise<void> {
    const service = await this.client.get(services, { namespace: "default", name: "web" });
    await this.client.update(services, { ...service, spec: { ...service.spec, ...spec } } as Service);
    await this.clock.advance(1_000);
  }

  targets(): string[] {
    return (this.cloud.record.balancers[0]?.spec.targets ?? []).map(({ name }) => name);
  }

  async notes(): Promise<string[]> {
    await this.clock.advance(1_000);
    const { items } = await this.client.list(events as ResourceType<Event>);
    return items.map(({ reason = "", message, note }: Event & { note?: string }) => `${reason}: ${message ?? note}`);
  }

  stop(): void {
    this.#stop.abort();
  }
}

const world = { current: new World() };
afterEach(() => {
  world.current.stop();
  world.current = new World();
});

test("a new node gets its ID, addresses, zone and type from the cloud before pods are admitted", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  expect(await current.node("node-1")).toMatchObject({
    metadata: { labels: { "topology.kubernetes.io/zone": "lab-a", "node.kubernetes.io/instance-type": "host" } },
    spec: { providerID: "fake://test/node-1" },
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.0.11" },
        { type: "Hostname", address: "node-1" },
      ],
    },
  });
  expect((await current.node("node-1"))?.spec?.taints ?? []).toEqual([]);
  expect(await current.notes()).toContain("Synced: Node synced successfully");
});

test("a kubelet that claims an address of another machine gets no pods, and the reason is reported", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1", { provided: "10.0.0.99" });
  expect((await current.node("node-1"))?.spec?.taints).toHaveLength(1);
  expect((await current.notes()).join()).toContain("matches ip: 10.0.0.99; its machine has 10.0.0.11, node-1");
});

test("a cloud that is temporarily unreachable only causes a delay", async () => {
  const { current } = world;
  current.faults.set("findInstance", { error: { code: "Unavailable", message: "away" } });
  await current.start();
  await current.register("node-1");
  expect((await current.node("node-1"))?.spec?.taints).toHaveLength(1);
  current.faults.clear();
  await current.clock.advance(30_000);
  expect((await current.node("node-1"))?.spec?.taints ?? []).toEqual([]);
});

test("a node is removed as soon as its machine no longer exists, but not while its kubelet reports", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.cloud.actOnInstance({ name: "node-1", action: "terminate" });
  await current.clock.advance(60_000);
  expect(await current.node("node-1")).toBeDefined();
  await current.report("node-1", "Unknown");
  expect(await current.node("node-1")).toBeUndefined();
  expect(await current.notes()).toContain(
    "DeletingNode: Deleting node node-1 because it does not exist in the cloud provider",
  );
});

test("a node that is not a machine of the cloud remains, ready or not", async () => {
  const { current } = world;
  await current.start();
  await current.put(nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "hollow-1", labels: { "kintsugi.dev/hollow": "true" } },
    status: { conditions: [] },
  } as Node);
  await current.clock.advance(60_000);
  expect(await current.node("hollow-1")).toBeDefined();
  await current.report("hollow-1", "Unknown");
  expect(await current.node("hollow-1")).toBeDefined();
});

test("a node with attached volumes is out of service until they are detached or a minute has passed", async () => {
  const { current } = world;
  const listVolumes = async (volumesAttached: { name: string; devicePath: string }[]) => {
    const node = await current.client.get(nodes, { namespace: "", name: "node-1" });
    await current.client.update(nodes, { ...node, status: { ...node.status, volumesAttached } } as Node);
    await current.clock.advance(6_000);
  };
  await current.start();
  await current.register("node-1");
  await listVolumes([{ name: "kubernetes.io/csi/a^b", devicePath: "" }]);
  await current.cloud.actOnInstance({ name: "node-1", action: "terminate" });
  await current.report("node-1", "Unknown");
  expect((await current.node("node-1"))?.spec?.taints).toMatchObject([
    { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" },
  ]);
  await listVolumes([]);
  expect(await current.node("node-1")).toBeUndefined();
});

test("a node whose volumes are never detached is removed anyway", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  const node = await current.client.get(nodes, { namespace: "", name: "node-1" });
  const volumesAttached = [{ name: "kubernetes.io/csi/a^b", devicePath: "" }];
  await current.client.update(nodes, { ...node, status: { ...node.status, volumesAttached } } as Node);
  await current.cloud.actOnInstance({ name: "node-1", action: "terminate" });
  await current.report("node-1", "Unknown");
  await current.clock.advance(40_000);
  expect(await current.node("node-1")).toBeDefined();
  await current.clock.advance(30_000);
  expect(await current.node("node-1")).toBeUndefined();
});

test("a node that reports is never removed, even if the cloud omits its machine or fails", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  current.faults.set("findInstance", { hides: ["node-1"] });
  await current.clock.advance(600_000);
  expect(await current.node("node-1")).toBeDefined();
  current.faults.set("findInstance", { error: { code: "NotFound", message: "no such project" } });
  await current.report("node-1", "Unknown");
  expect(await current.node("node-1")).toBeDefined();
});

test("a machine without power is tainted, and the taint is removed when its kubelet reports again", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.cloud.actOnInstance({ name: "node-1", action: "stop" });
  await current.report("node-1", "Unknown");
  expect((await current.node("node-1"))?.spec?.taints).toMatchObject([
    { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" },
  ]);
  await current.cloud.actOnInstance({ name: "node-1", action: "start" });
  await current.report("node-1", "True");
  expect((await current.node("node-1"))?.spec?.taints ?? []).toEqual([]);
});

test("a Service gets an address that leads to every node, and loses it with its type", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.register("node-2");
  await current.serve();
  expect(await current.service()).toMatchObject({
    metadata: { finalizers: [finalizer] },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "Proxy" }] } },
  });
  expect(current.targets()).toEqual(["node-1", "node-2"]);
  expect((await current.notes()).filter((text) => text.endsWith("load balancer"))).toEqual([
    "EnsuringLoadBalancer: Ensuring load balancer",
    "EnsuredLoadBalancer: Ensured load balancer",
  ]);
  await current.change({ type: "ClusterIP" });
  expect(current.cloud.record.balancers).toEqual([]);
  expect(await current.service()).toMatchObject({ metadata: { finalizers: [] }, status: { loadBalancer: {} } });
});

test("nodes that are added, removed or excluded change the targets, and readiness does not", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.serve();
  await current.register("node-2");
  await current.clock.advance(1_000);
  expect(current.targets()).toEqual(["node-1", "node-2"]);
  await current.report("node-2", "Unknown");
  expect(current.targets()).toEqual(["node-1", "node-2"]);
  const label = async (labels: Record<string, string>) => {
    const node = await current.client.get(nodes, { namespace: "", name: "node-1" });
    await current.client.update(nodes, { ...node, metadata: { ...node.metadata, labels } });
    await current.clock.advance(1_000);
  };
  await label({ "node.kubernetes.io/exclude-from-external-load-balancers": "" });
  expect(current.targets()).toEqual(["node-2"]);
  await label({ "node.kubernetes.io/exclude-from-external-load-balancers": "false" });
  expect(current.targets()).toEqual(["node-1", "node-2"]);
});

test("a Service that is being deleted remains until its balancer no longer exists, even if the response is lost", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.serve();
  current.faults.set("deleteLoadBalancer", { error: { code: "Unavailable", message: "try again later" } });
  // The API server marks a Service with finalizers as deleted, and retains it until the finalizers
  // are removed.
  const service = await current.client.get(services, { namespace: "default", name: "web" });
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  await current.client.update(services, { ...service, metadata: { ...service.metadata, deletionTimestamp } });
  await current.clock.advance(5_000);
  expect((await current.service())?.metadata.finalizers).toEqual([finalizer]);
  expect((await current.notes()).join()).toContain("Unavailable: try again later");
  current.faults.clear();
  await current.clock.advance(120_000);
  expect((await current.service())?.metadata.finalizers).toEqual([]);
  expect(current.cloud.record.balancers).toEqual([]);
});

test("a Service with a class of another implementation is ignored", async () => {
  const { current } = world;
  await current.start();
  await current.serve({ loadBalancerClass: "example.org/other" });
  expect(current.cloud.record.balancers).toEqual([]);
  expect((await current.service())?.metadata.finalizers).toBeUndefined();
});

test("a Service without node ports and a Service with a used address get no balancer and a reason", async () => {
  const { current } = world;
  await current.start();
  await current.serve({ allocateLoadBalancerNodePorts: false, ports: [{ port: 80, protocol: "TCP" }] });
  expect((await current.notes()).join()).toContain("set allocateLoadBalancerNodePorts to true");
  await current.change({ ports: [{ port: 80, protocol: "TCP", nodePort: 30_080 }], loadBalancerIP: "203.0.113.9" });
  await current.clock.advance(60_000);
  expect((await current.notes()).join()).toContain("203.0.113.9 is not an address of this cloud");
  expect(current.cloud.record.balancers).toEqual([]);
});

test("a balancer that the cloud has lost is created again", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  await current.serve();
  await current.cloud.deleteLoadBalancer({ name: current.cloud.record.balancers[0]?.spec.name ?? "" });
  await current.clock.advance(301_000);
  expect(current.targets()).toEqual(["node-1"]);
});

test("the policy Local is checked at the Service's own port and preserves clients' addresses; ranges and affinity apply", async () => {
  const { current } = world;
  await current.start();
  await current.serve({
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 32_000,
    loadBalancerSourceRanges: [" 10.0.0.0/8 "],
    sessionAffinity: "ClientIP",
  });
  expect(current.cloud.record.balancers[0]?.spec).toMatchObject({
    healthCheck: { port: 32_000, path: "/healthz" },
    sourceRanges: ["10.0.0.0/8"],
    sticky: true,
    keepsClientAddress: true,
  });
  await current.change({ externalTrafficPolicy: "Cluster" });
  expect(current.cloud.record.balancers[0]?.spec).toMatchObject({
    healthCheck: { port: 10_256, path: "/healthz" },
    keepsClientAddress: false,
  });
});

test("a node's range is routed to it, a failure marks the node, and the route is removed with the node", async () => {
  const { current } = world;
  await current.start();
  await current.register("node-1");
  current.faults.set("ensureRoute", { error: { code: "Exhausted", message: "50 routes at most" } });
  const node = await current.client.get(nodes, { namespace: "", name: "node-1" });
  await current.client.update(nodes, { ...node, spec: { ...node.spec, podCIDRs: ["10.64.1.0/24"] } });
  await current.clock.advance(10_000);
  const network = async () =>
    (await current.node("node-1"))?.status?.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status;
  expect(await network()).toBe("True");
  expect((await current.notes()).join()).toContain("FailedToCreateRoute: Could not create route 10.64.1.0/24");
  current.faults.clear();
  await current.clock.advance(10_000);
  expect(await network()).toBe("False");
  expect(current.cloud.record.routes).toMatchObject([{ cidr: "10.64.1.0/24", target: "node-1" }]);
  await current.client.delete(nodes, { namespace: "", name: "node-1" });
  await current.clock.advance(10_000);
  expect(current.cloud.record.routes).toEqual([]);
});
