import { describe, expect, test } from "vitest";
import { addressFamily, checkNotSpecial, cidrFamily } from "./ip-address.ts";

describe("an address", () => {
  test.each([
    ["10.0.0.1", "IPv4"],
    ["255.255.255.255", "IPv4"],
    ["256.0.0.1", undefined],
    ["10.0.0", undefined],
    ["10.0.0.01", undefined],
    ["::", "IPv6"],
    ["::1", "IPv6"],
    ["2001:db8::ffff", "IPv6"],
    ["1:2:3:4:5:6:7:8", "IPv6"],
    ["1:2:3:4:5:6:7", undefined],
    ["1:2:3:4:5:6:7:8:9", undefined],
    ["1::2::3", undefined],
    ["::ffff:10.0.0.1", "IPv6"],
    ["::10.0.0.300", undefined],
    ["12345::", undefined],
    ["fe80::1%eth0", undefined],
    ["", undefined],
  ])("%s is %s", (text, expected) => {
    expect(addressFamily(text)).toBe(expected);
  });

  test.each([
    ["10.0.0.0/8", "IPv4"],
    ["10.0.0.0/33", undefined],
    ["fd00::/64", "IPv6"],
    ["fd00::/129", undefined],
    ["10.0.0.0", undefined],
    ["10.0.0.0/08", undefined],
    ["10.0.0.0/8/8", undefined],
  ])("with a length, %s is %s", (text, expected) => {
    expect(cidrFamily(text)).toBe(expected);
  });

  test.each(["0.0.0.0", "::", "127.1.2.3", "::1", "169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1"])(
    "%s is special",
    (text) => {
      expect(checkNotSpecial(text)).toHaveLength(1);
    },
  );

  test.each(["10.0.0.1", "2001:db8::1"])("%s is not special", (text) => {
    expect(checkNotSpecial(text)).toEqual([]);
  });
});
