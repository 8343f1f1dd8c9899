import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIpv4, formatIpv4Range, ipv4Number, parseIpv4Range } from "./ipv4-range.ts";

test("addresses and ranges are parsed back from their text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 8, max: 30 }), (address, bits) => {
      expect(ipv4Number(formatIpv4(address))).toBe(address);
      const range = parseIpv4Range(`${formatIpv4(address)}/${bits}`);
      expect(range.first <= address && address < range.first + range.size).toBe(true);
      expect(parseIpv4Range(formatIpv4Range(range))).toEqual(range);
    }),
  );
});

test.each(["10.0.0.0", "10.0.0/24", "10.0.0.0/31", "10.0.0.0/7", "10.0.0.0/24/1", "fd00::/64", "10.0.0.256/24"])(
  "%s is not a range",
  (text) => expect(() => parseIpv4Range(text)).toThrow("is not an IPv4 range such as 10.96.0.0/16"),
);
