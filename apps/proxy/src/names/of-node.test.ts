import { expect, test } from "vitest";
import { isOfNode } from "./of-node.ts";

const addresses = ["203.0.113.11"];

test.each([
  ["a pod of the node", "10.64.1.7", true],
  ["a pod of another node", "10.64.2.7", false],
  ["the node", "203.0.113.11", true],
  ["its own loopback", "127.0.0.53", true],
  ["another machine", "203.0.113.12", false],
  ["an address that is not IPv4", "fe80::1", false],
])("%s", (_, address, expected) => {
  expect(isOfNode({ addresses, podCidr: "10.64.1.0/24" }, address)).toBe(expected);
});

test("without a known pod range, pods are within the private ranges, and an outside address is never a pod's", () => {
  const node = { addresses, podCidr: undefined };
  expect(["10.1.2.3", "192.168.0.7", "100.64.0.1", "198.51.100.1"].map((address) => isOfNode(node, address))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
