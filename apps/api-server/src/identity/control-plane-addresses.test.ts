import { expect, test } from "vitest";
import { type ControlPlanePlaces, controlPlaneAddresses } from "./control-plane-addresses.ts";

const places: ControlPlanePlaces = {
  reservedAddresses: ["192.0.2.64/28"],
  bindAddresses: ["192.0.2.1"],
  bus: { servers: ["tls://192.0.2.2:4222", "tls://nats:4222", "tls://[fd00::2]:4222"] },
  etcd: undefined,
  ofMachine: () => [{ address: "192.0.2.1" }, { address: "198.51.100.1" }],
};

test("the control plane's addresses are those of the server, its bus and the flag, without names", () => {
  expect(controlPlaneAddresses(places)).toEqual(["192.0.2.64/28", "192.0.2.1", "192.0.2.2", "fd00::2"]);
});

test("a server that listens on all addresses has all addresses of its machine", () => {
  const all = { ...places, bindAddresses: ["0.0.0.0"], bus: undefined, etcd: { endpoints: ["192.0.2.3:2379"] } };
  expect(controlPlaneAddresses(all)).toEqual(["192.0.2.64/28", "0.0.0.0", "192.0.2.1", "198.51.100.1", "192.0.2.3"]);
});
