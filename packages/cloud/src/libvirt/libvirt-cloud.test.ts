import { expect, test } from "vitest";
import { isCloudError } from "../cloud-error.ts";
import { describeMachinesContract } from "../testing/cloud-contract.ts";
import { type FakeDomain, FakeLibvirt } from "../testing/fake-libvirt.ts";
import { createLibvirtCloud } from "./libvirt-cloud.ts";
import type { Virsh } from "./virsh.ts";

const uuid = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-${digit.repeat(12)}`;
const domain = (digit: string, name: string, changes: Partial<FakeDomain> = {}): FakeDomain => ({
  uuid: uuid(digit),
  name,
  power: "on",
  leases: ["192.168.122.3"],
  ...changes,
});

const cloudOf = (domains: FakeDomain[], domainPrefix = "") => {
  const libvirt = new FakeLibvirt(domains);
  return { libvirt, cloud: createLibvirtCloud(libvirt.virsh, { domainPrefix }) };
};

async function faultOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) => (isCloudError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
}

describeMachinesContract("a libvirt", async () => ({
  cloud: cloudOf([domain("a", "node-1"), domain("b", "node-2")]).cloud,
  machine: "node-1",
}));

test("domains are machines by their names: running, saved, stopped, and removed", async () => {
  const { cloud } = cloudOf(
    [
      domain("a", "vagrant_node-1"),
      domain("b", "vagrant_node-2", { power: "off" }),
      domain("c", "vagrant_node-3", { power: "saved" }),
      domain("d", "other_node-4"),
    ],
    "vagrant_",
  );
  const { instances } = await cloud.listInstances({});
  expect(instances.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "node-1 running",
    "node-2 stopped",
    // It continues where it was saved, with its processes.
    "node-3 running",
  ]);
  expect(instances[0]).toEqual({
    providerId: `libvirt://${uuid("a")}`,
    name: "node-1",
    state: "running",
    instanceType: "domain",
    region: "libvirt",
    zone: "libvirt",
    addresses: [
      { type: "InternalIP", address: "192.168.122.3" },
      { type: "Hostname", address: "node-1" },
    ],
  });
  expect(await cloud.findInstance({ name: "node-4" })).toEqual({});
  expect(await cloud.findInstance({ providerId: `libvirt://${uuid("d")}` })).toEqual({});
});

test("the metadata of a domain names its zone, type and address", async () => {
  for (const metadata of [
    `<machine zone="rack-2" type='small' address="10.200.0.11"/>`,
    `<k:machine xmlns:k="http://kintsugi.dev/libvirt/1.0" type="small" zone = 'rack-2' address="10.200.0.11">\n</k:machine>`,
  ]) {
    const { cloud } = cloudOf([domain("a", "node-1", { metadata })]);
    expect((await cloud.findInstance({ name: "node-1" })).instance).toMatchObject({
      zone: "rack-2",
      instanceType: "small",
      addresses: [{ address: "10.200.0.11" }, { type: "Hostname" }],
    });
  }
});

test.each([
  [`<machine zone="a b"/>`, "zone that is not a valid value of a label: a b"],
  [`<machine address="fd00::1"/>`, "address that is not a valid IPv4 address"],
  [`<machine zone=rack-2/>`, "not one element <machine …/>"],
  [`<other/>`, "not one element"],
  [`<machine ${'x="1" '.repeat(5000)}`, "not one element"],
])("metadata that cannot be parsed is rejected with the fault: %s", async (metadata, words) => {
  const { cloud } = cloudOf([domain("a", "node-1", { metadata }), domain("b", "node-2")]);
  const fault = await faultOf(cloud.findInstance({ name: "node-1" }));
  expect(fault).toMatch(/^InvalidRequest: the metadata of domain node-1 /);
  expect(fault).toContain(words);
  // The fault concerns only one machine.
  expect((await cloud.findInstance({ name: "node-2" })).instance?.name).toBe("node-2");
});

test("commands name domains by UUID, and domains with invalid Node names are not machines", async () => {
  const odd = ["--help", "-c", "a b", "node_1", "$(reboot)", "ünï", "x".repeat(300), "Node-1", "a..b"];
  const { cloud, libvirt } = cloudOf([domain("a", "node-1"), ...odd.map((name, i) => domain(`${i}`, name))]);
  expect((await cloud.listInstances({})).instances.map(({ name }) => name)).toEqual(["node-1"]);
  for (const name of odd) {
    expect(await cloud.findInstance({ name })).toEqual({});
    expect(await faultOf(cloud.actOnInstance({ name, action: "terminate" }))).toContain("NotFound");
  }
  for (const action of ["stop", "terminate"] as const) await cloud.actOnInstance({ name: "node-1", action });
  const named = libvirt.calls.filter((call) => !call.startsWith("list "));
  expect(new Set(named.map((call) => call.split(" ")[1]))).toEqual(new Set([uuid("a")]));
});

test("a saved domain is stopped by discarding its saved state, and a domain without firmware is undefined", async () => {
  const { cloud, libvirt } = cloudOf([domain("a", "node-1", { power: "saved" })]);
  libvirt.knowsNvram = false;
  await cloud.actOnInstance({ name: "node-1", action: "stop" });
  expect((await cloud.findInstance({ name: "node-1" })).instance?.state).toBe("stopped");
  await cloud.actOnInstance({ name: "node-1", action: "terminate" });
  expect(libvirt.domains).toEqual([]);
});

test.each<[string, Virsh, string]>([
  [
    "that is down",
    async () => ({
      exitCode: 1,
      output: "",
      errors: "error: failed to connect to the hypervisor\nerror: no such file\n",
    }),
    "Unavailable: libvirt: failed to connect to the hypervisor: no such file",
  ],
  [
    "whose list is cut off",
    async () => ({ exitCode: 0, output: `${uuid("a")} node-1\n6695eb01-f6`, errors: "" }),
    "Unavailable: libvirt's list of domains has an unknown line: 6695eb01-f6",
  ],
  [
    "with more domains than are read",
    async (args) => ({
      exitCode: 0,
      output: args.includes("--name") ? Array.from({ length: 1001 }, (_, i) => `${uuid("a")} n${i}`).join("\n") : "",
      errors: "",
    }),
    "Unavailable: libvirt has 1001 domains",
  ],
])("a libvirt %s is reported as unavailable, and never as a cloud without machines", async (_, virsh, fault) => {
  const cloud = createLibvirtCloud(virsh, { domainPrefix: "" });
  for (const call of [cloud.findInstance({ name: "node-2" }), cloud.listInstances({})])
    expect(await faultOf(call)).toContain(fault);
});

test("an unsupported operation is rejected, and a missing object is read as absent", async () => {
  const { cloud } = cloudOf([]);
  expect(await faultOf(cloud.resizeNodeGroup({ group: "pool", from: 0, to: 1 }))).toBe(
    "InvalidRequest: domains of libvirt have no node groups: `kintsugi up --cloud` has a cloud with them",
  );
  expect(await cloud.listNodeGroups({})).toEqual({ groups: [] });
  expect(await cloud.findLoadBalancer({ name: "a" })).toEqual({});
  expect(await cloud.listRoutes({})).toEqual({ routes: [] });
});
