import { expect, test } from "vitest";
import { advertisedAddress } from "./advertised-address.ts";

const loopback = { family: "IPv4", internal: true, address: "127.0.0.1" };
const outward = [
  { family: "IPv6", internal: false, address: "fe80::1" },
  { family: "IPv4", internal: false, address: "192.0.2.10" },
  { family: "IPv4", internal: false, address: "192.0.2.11" },
];

test.each([
  ["the requested address", { asked: "198.51.100.1", bindAddresses: ["192.0.2.11"] }, "198.51.100.1"],
  ["the first listen address that is not a loopback", { bindAddresses: ["127.0.0.1", "192.0.2.11"] }, "192.0.2.11"],
  ["the machine's first address if the server listens on all addresses", { bindAddresses: ["0.0.0.0"] }, "192.0.2.10"],
  ["no address if the server listens only on loopback", { bindAddresses: ["127.0.0.1", "127.0.1.1"] }, undefined],
  ["no IPv6 address, because Services have no IPv6 address here", { bindAddresses: ["2001:db8::1"] }, undefined],
  ["no address on a machine without addresses", { bindAddresses: ["0.0.0.0"], ofMachine: () => [loopback] }, undefined],
])("pods reach the server at %s", (_, served, expected) => {
  const ofMachine = () => [loopback, ...outward];
  expect(advertisedAddress({ asked: undefined, ofMachine, ...served })).toBe(expected);
});

test("the machine's network interfaces are queried only if their addresses are used", () => {
  const ofMachine = () => {
    throw new Error("uv_interface_addresses returned Unknown system error 97");
  };
  const bindAddresses = ["127.0.0.1", "192.0.2.11"];
  expect(advertisedAddress({ asked: undefined, bindAddresses, ofMachine })).toBe("192.0.2.11");
  expect(advertisedAddress({ asked: "192.0.2.1", bindAddresses: ["0.0.0.0"], ofMachine })).toBe("192.0.2.1");
});
