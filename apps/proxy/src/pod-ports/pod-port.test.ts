import { expect, test } from "vitest";
import { portsIn, portsOf } from "./pod-port.ts";
import { portScript } from "./port-script.ts";

/** A record of libcni 1.1, as containerd writes it, limited to the relevant members. */
const record = (result: object) => JSON.stringify({ kind: "cniCacheV1", networkName: "kintsugi", result });
const interfaces = [
  { name: "cni0", mac: "02:00:00:00:00:01" },
  { name: "veth12ab34cd", mac: "02:00:00:00:00:02" },
  { name: "eth0", mac: "0A:58:0A:01:00:02", sandbox: "/run/netns/cni-1" },
];
const ips = [{ version: "4", interface: 2, address: "10.1.0.2/24", gateway: "10.1.0.1" }];

test("a record has the node's end of the virtual cable and the pod's allowed source addresses", () => {
  expect(portsOf(record({ interfaces, ips }))).toEqual([
    { link: "veth12ab34cd", mac: "0a:58:0a:01:00:02", address: "10.1.0.2" },
  ]);
});

test("each address of a pod is separate", () => {
  const both = [...ips, { interface: 2, address: "10.1.0.3/24" }, { interface: 2, address: "fd00::2/64" }];
  expect(portsOf(record({ interfaces, ips: both }))?.map(({ address }) => address)).toEqual(["10.1.0.2", "10.1.0.3"]);
});

test.each([
  ["nothing yet", ""],
  ["half of a record", record({ interfaces, ips }).slice(0, 60)],
  ["another shape", "[]"],
  ["no result", JSON.stringify({ kind: "cniCacheV1" })],
])("%s is parsed again", (_, text) => {
  expect(portsOf(text)).toBeUndefined();
});

test.each([
  ["no port of a bridge", { interfaces: [{ name: "lo", sandbox: "/run/netns/cni-1" }], ips }],
  ["a name that no link has", { interfaces: [{ name: 'veth" } ; drop' }, ...interfaces.slice(2)], ips }],
  ["no MAC of the pod", { interfaces: interfaces.slice(0, 2), ips }],
  ["an address of IPv6 alone", { interfaces, ips: [{ interface: 2, address: "fd00::2/64" }] }],
])("a record with %s has no ports", (_, result) => {
  expect(portsOf(record(result))).toEqual([]);
});

test("only the ports of the node's own range count, in the order of their links", () => {
  const port = (link: string, address: string) => ({ link, mac: "02:00:00:00:00:02", address });
  const all = [port("veth2", "10.1.0.3"), port("veth1", "10.1.0.2"), port("veth3", "10.1.1.2")];
  expect(portsIn(all, "10.1.0.0/24").map(({ link }) => link)).toEqual(["veth1", "veth2"]);
  expect(portsIn(all, "fd00::/64")).toEqual([]);
});

test("without ports the table is removed", () => {
  expect(portScript([])).not.toContain("chain");
});
