import { describe, expect, test } from "vitest";
import { isCloudError } from "../cloud-error.ts";
import type { CloudProvider, LoadBalancerSpec } from "../cloud-provider.ts";

/** A cloud that has machines, and possibly nothing else. */
export interface ContractMachines {
  readonly cloud: CloudProvider;
  /** A person's machine that exists and runs. */
  readonly machine: string;
  close?(): Promise<void>;
}

export interface ContractCloud extends ContractMachines {
  /** A node group with 0 to 3 machines, which is empty at first. */
  readonly group: string;
  /** Resolves once the machines match the groups' targets. */
  readonly settle: () => Promise<void>;
}

const spec = (name: string, changes: Partial<LoadBalancerSpec> = {}): LoadBalancerSpec => ({
  name,
  description: "default/web",
  ports: [{ protocol: "TCP", port: 80, nodePort: 30_080 }],
  targets: [],
  healthCheck: { port: 10_256, path: "/healthz" },
  sourceRanges: [],
  sticky: false,
  keepsClientAddress: false,
  ...changes,
});

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) => (isCloudError(error) ? error.code : String(error)),
  );
}

async function withCloud<World extends ContractMachines>(
  open: () => Promise<World>,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const world = await open();
  try {
    await work(world);
  } finally {
    await world.close?.();
  }
}

/**
 * The contract on machines, which every cloud satisfies, including a cloud that has only machines.
 */
export function describeMachinesContract(name: string, open: () => Promise<ContractMachines>): void {
  describe(`${name} keeps the contract of clouds about machines`, () => {
    test("a machine is found by its name and by its ID until it is terminated", () =>
      withCloud(open, async ({ cloud, machine }) => {
        const { instance } = await cloud.findInstance({ name: machine });
        expect(instance).toMatchObject({ name: machine, state: "running" });
        expect((await cloud.findInstance({ providerId: instance?.providerId })).instance?.name).toBe(machine);
        expect((await cloud.listInstances({})).instances).toContainEqual(instance);
        await cloud.actOnInstance({ name: machine, action: "stop" });
        await cloud.actOnInstance({ name: machine, action: "stop" });
        expect((await cloud.findInstance({ name: machine })).instance?.state).toBe("stopped");
        await cloud.actOnInstance({ name: machine, action: "start" });
        await cloud.actOnInstance({ name: machine, action: "start" });
        await cloud.actOnInstance({ name: machine, action: "terminate" });
        expect((await cloud.findInstance({ name: machine })).instance).toBeUndefined();
        expect((await cloud.findInstance({ providerId: instance?.providerId })).instance).toBeUndefined();
        expect(await codeOf(cloud.actOnInstance({ name: machine, action: "start" }))).toBe("NotFound");
      }));

    test("a missing machine is found by neither, and a query without a key is rejected", () =>
      withCloud(open, async ({ cloud }) => {
        expect(await cloud.findInstance({ name: "never-made" })).toEqual({});
        expect(await cloud.findInstance({ providerId: "elsewhere://never/made" })).toEqual({});
        expect(await codeOf(cloud.findInstance({}))).toBe("InvalidRequest");
        expect(await codeOf(cloud.actOnInstance({ name: "never-made", action: "terminate" }))).toBe("NotFound");
      }));
  });
}

/** The contract that controllers rely on, which every cloud satisfies. */
export function describeCloudContract(name: string, open: () => Promise<ContractCloud>): void {
  describeMachinesContract(name, open);
  describe(`${name} keeps the contract of clouds`, () => {
    test("a balancer keeps its own address through changes", () =>
      withCloud(open, async ({ cloud }) => {
        const { balancer } = await cloud.ensureLoadBalancer({ spec: spec("a") });
        const targets = [{ name: "node-1", address: "10.0.0.11" }];
        const changed = await cloud.ensureLoadBalancer({ spec: spec("a", { targets }) });
        expect(changed.balancer).toEqual({ address: balancer.address, spec: spec("a", { targets }) });
        const other = await cloud.ensureLoadBalancer({ spec: spec("b") });
        expect(other.balancer.address).not.toBe(balancer.address);
        expect(await codeOf(cloud.ensureLoadBalancer({ spec: spec("c", { address: balancer.address }) }))).toBe(
          "Conflict",
        );
        await cloud.deleteLoadBalancer({ name: "a" });
        await cloud.deleteLoadBalancer({ name: "a" });
        expect(await cloud.findLoadBalancer({ name: "a" })).toEqual({});
        const again = await cloud.ensureLoadBalancer({ spec: spec("c", { address: balancer.address }) });
        expect(again.balancer.address).toBe(balancer.address);
      }));

    test("addresses outside the cloud and unsupported protocols are rejected", () =>
      withCloud(open, async ({ cloud }) => {
        expect(await codeOf(cloud.ensureLoadBalancer({ spec: spec("a", { address: "203.0.113.1" }) }))).toBe(
          "InvalidRequest",
        );
        const ports: LoadBalancerSpec["ports"] = [{ protocol: "SCTP", port: 36_412, nodePort: 30_412 }];
        expect(await codeOf(cloud.ensureLoadBalancer({ spec: spec("a", { ports }) }))).toBe("InvalidRequest");
        expect(await cloud.findLoadBalancer({ name: "a" })).toEqual({});
        const both: LoadBalancerSpec["ports"] = [
          { protocol: "TCP", port: 53, nodePort: 30_053 },
          { protocol: "UDP", port: 53, nodePort: 30_053 },
        ];
        expect((await cloud.ensureLoadBalancer({ spec: spec("a", { ports: both }) })).balancer.spec.ports).toEqual(
          both,
        );
      }));

    test("a range is routed to one machine, and a route that was changed in the meantime is not deleted", () =>
      withCloud(open, async ({ cloud }) => {
        const route = { cidr: "10.64.1.0/24", target: "node-1", address: "10.0.0.11" };
        await cloud.ensureRoute({ route });
        await cloud.ensureRoute({ route });
        const other = { ...route, target: "node-2", address: "10.0.0.12" };
        await cloud.ensureRoute({ route: other });
        expect(await cloud.listRoutes({})).toEqual({ routes: [other] });
        await cloud.deleteRoute({ cidr: route.cidr, target: "node-1" });
        expect((await cloud.listRoutes({})).routes).toHaveLength(1);
        await cloud.deleteRoute({ cidr: route.cidr, target: "node-2" });
        await cloud.deleteRoute({ cidr: route.cidr, target: "node-2" });
        expect((await cloud.listRoutes({})).routes).toEqual([]);
      }));

    test("a group grows once, however often a response is lost, and within its limits", () =>
      withCloud(open, async ({ cloud, group, settle }) => {
        await cloud.resizeNodeGroup({ group, from: 0, to: 2 });
        expect(await codeOf(cloud.resizeNodeGroup({ group, from: 0, to: 2 }))).toBe("Conflict");
        expect(await codeOf(cloud.resizeNodeGroup({ group, from: 2, to: 4 }))).toBe("InvalidRequest");
        expect(await codeOf(cloud.resizeNodeGroup({ group: "none", from: 0, to: 1 }))).toBe("NotFound");
        await settle();
        const { instances } = await cloud.listInstances({});
        expect(instances.filter((each) => each.group === group)).toHaveLength(2);
      }));

    test("a machine is removed from its group once, and is not replaced", () =>
      withCloud(open, async ({ cloud, group, settle }) => {
        const { machines } = (await cloud.resizeNodeGroup({ group, from: 0, to: 2 })).group;
        await settle();
        const providerIds = machines.slice(0, 1);
        expect((await cloud.deleteMachines({ group, providerIds })).group.target).toBe(1);
        expect((await cloud.deleteMachines({ group, providerIds })).group.target).toBe(1);
        await settle();
        const left = (await cloud.listInstances({})).instances.filter((each) => each.group === group);
        expect(left.map(({ providerId }) => providerId)).toEqual(machines.slice(1));
      }));

    test("a terminated machine of a group is replaced by a machine with another name", () =>
      withCloud(open, async ({ cloud, group, settle }) => {
        await cloud.resizeNodeGroup({ group, from: 0, to: 1 });
        await settle();
        const named = async () => (await cloud.listInstances({})).instances.filter((each) => each.group === group);
        const [before] = await named();
        await cloud.actOnInstance({ name: before?.name ?? "", action: "terminate" });
        await settle();
        const [after, ...more] = await named();
        expect(more).toEqual([]);
        expect(after?.providerId).toBeDefined();
        expect(after?.providerId).not.toBe(before?.providerId);
      }));
  });
}
