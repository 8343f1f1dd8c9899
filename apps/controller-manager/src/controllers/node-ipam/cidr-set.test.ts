import { formatIpv4Range, type Ipv4Range, parseIpv4Range } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CidrSet } from "./cidr-set.ts";

const overlap = (a: Ipv4Range, b: Ipv4Range) => a.first < b.first + b.size && b.first < a.first + a.size;

/** Ranges of 20 to 28 bits in and around 10.0.0.0/20. */
const anyRange = fc
  .tuple(fc.integer({ min: 20, max: 28 }), fc.integer({ min: -4096, max: 8191 }))
  .map(([bits, offset]) => {
    const size = 2 ** (32 - bits);
    const first = 10 * 2 ** 24 + offset;
    return { first: first - (first % size), size };
  });

describe("the ranges within a cluster's range", () => {
  test("are allocated in turn without duplicates, and then again from the first", () => {
    const set = new CidrSet(parseIpv4Range("10.200.128.0/22"), 24);
    expect(set.size).toBe(4);
    const given: string[] = [];
    for (let start = 2; ; start++) {
      const free = set.nextFree(start % set.size);
      if (!free) break;
      given.push(formatIpv4Range(free.range));
      set.occupy(free.range);
    }
    expect(given).toEqual(["10.200.130.0/24", "10.200.131.0/24", "10.200.128.0/24", "10.200.129.0/24"]);
    expect(set.usedCount).toBe(4);
  });

  test("never overlap with used ranges, lie within the whole range, and are found whenever a range is free", () => {
    fc.assert(
      fc.property(fc.array(anyRange, { maxLength: 30 }), fc.integer({ min: 0, max: 15 }), (taken, start) => {
        const cluster = parseIpv4Range("10.0.0.0/20");
        const set = new CidrSet(cluster, 24);
        for (const range of taken) set.occupy(range);
        const all = Array.from({ length: 16 }, (_, index) => ({ first: cluster.first + index * 256, size: 256 }));
        const free = all.filter((range) => !taken.some((other) => overlap(range, other)));
        expect(set.usedCount).toBe(all.length - free.length);
        // The search continues in turn: from the start to the first free range, and around the end.
        const inTurn = [...all.slice(start), ...all.slice(0, start)];
        expect(set.nextFree(start)?.range).toEqual(inTurn.find((range) => free.includes(range)));
      }),
    );
  });

  test("are free again when they were released as often as occupied", () => {
    fc.assert(
      fc.property(fc.array(anyRange, { maxLength: 20 }), fc.array(anyRange, { maxLength: 20 }), (stay, go) => {
        const set = new CidrSet(parseIpv4Range("10.0.0.0/20"), 24);
        const expected = new CidrSet(parseIpv4Range("10.0.0.0/20"), 24);
        for (const range of stay) expected.occupy(range);
        for (const range of [...go, ...stay]) set.occupy(range);
        for (const range of go) set.release(range);
        expect(set.usedCount).toBe(expected.usedCount);
        expect(set.nextFree(0)).toEqual(expected.nextFree(0));
      }),
    );
    expect(() => new CidrSet(parseIpv4Range("10.0.0.0/20"), 24).release(parseIpv4Range("10.0.0.0/24"))).toThrow(
      "not occupied",
    );
  });

  test("report whether a range shares an address with them", () => {
    const set = new CidrSet(parseIpv4Range("10.0.0.0/20"), 24);
    expect(set.contains(parseIpv4Range("10.0.15.0/24"))).toBe(true);
    expect(set.contains(parseIpv4Range("10.0.0.0/8"))).toBe(true);
    expect(set.contains(parseIpv4Range("10.0.16.0/24"))).toBe(false);
    expect(set.contains(parseIpv4Range("9.255.255.0/24"))).toBe(false);
  });

  test.each([
    ["10.0.0.0/25", 24, "the range 10.0.0.0/25 is smaller than a node's range of 24 bits"],
    ["10.0.0.0/8", 25, "the cluster would have 131072 ranges, and 65536 are possible"],
  ])("of %s with %i bits are rejected", (cluster, bits, because) => {
    expect(() => new CidrSet(parseIpv4Range(cluster), bits)).toThrow(because);
  });
});
