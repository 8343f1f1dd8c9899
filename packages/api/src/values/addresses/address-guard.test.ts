import fc from "fast-check";
import { expect, test } from "vitest";
import { AddressGuard } from "./address-guard.ts";
import { formatIpv4, ipv4RangeOf, isAddressIn } from "../ipv4-range.ts";

const guard = new AddressGuard([
  { owner: "the control plane", ranges: ["10.0.0.1", "fd00::1"] },
  { owner: "a node", ranges: ["10.0.0.11", "node-1", ""] },
  { owner: "pods", ranges: ["10.0.1.0/24", "fd00:1::/64"] },
  { owner: "Services", ranges: ["10.0.0.0/12"] },
]);

test.each([
  ["10.0.0.1", "the control plane"],
  ["::ffff:10.0.0.1", "the control plane"],
  ["::ffff:a00:1", "the control plane"],
  ["fd00:0:0:0:0:0:0:1", "the control plane"],
  ["10.0.0.11", "a node"],
  ["10.0.1.255", "pods"],
  ["fd00:1::ffff:1", "pods"],
  ["10.15.255.255", "Services"],
  ["10.16.0.0", undefined],
  ["fd00::2", undefined],
  ["192.0.2.1", undefined],
  ["10.0.0.1/32", undefined],
  ["node-1", undefined],
  ["", undefined],
])("%s belongs to %s", (address, owner) => {
  expect(guard.ownerOf(address)).toBe(owner);
});

test("the guard finds the same range as a search of all ranges", () => {
  const address = fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(formatIpv4);
  const range = fc.tuple(address, fc.integer({ min: 1, max: 32 })).map(([first, bits]) => `${first}/${bits}`);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), address, (ranges, asked) => {
      const number = asked.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
      const isOwned = ranges.some((each) => isAddressIn(ipv4RangeOf(each)!, number));
      expect(new AddressGuard([{ owner: "x", ranges }]).ownerOf(asked) !== undefined).toBe(isOwned);
    }),
  );
});
