import { expect, test } from "vitest";
import { defaultClusterCidr } from "./cluster-cidr.ts";

test.each([
  ["10.200.0.10", "10.200.0.10/16", "10.200.128.0/17"],
  ["10.200.200.10", "10.200.200.10/16", "10.200.0.0/17"],
  ["172.16.3.1", "172.16.3.1/22", "172.16.0.0/23"],
  ["192.168.1.10", "192.168.1.10/24", undefined],
  ["fd00::1", "fd00::1/16", undefined],
])("for %s in %s, pods have %s", (address, cidr, expected) => {
  const links = [
    { address: "127.0.0.1", cidr: "127.0.0.1/8" },
    { address, cidr },
  ];
  expect(defaultClusterCidr(address, links)).toBe(expected);
  expect(defaultClusterCidr("10.9.9.9", links)).toBeUndefined();
});
