import { BlockList, isIPv4 } from "node:net";
import { celFunc, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";
import { addressFamily, cidrFamily } from "@kintsugi/api";

const { BOOL, DYN, INT, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Keys that mark the maps for addresses and for address ranges. */
const [ipMark, cidrMark] = ["@ip", "@cidr"];

function marked(mark: string, text: string): never {
  return celMap(new Map([[mark, text]]) as never) as never;
}

function textOf(value: unknown, mark: string, what: string): string {
  const text = (value as ReturnType<typeof celMap>).get(mark);
  if (typeof text !== "string") throw new Error(`no such overload: the value is not ${what}`);
  return text;
}

const ipOf = (value: unknown) => textOf(value, ipMark, "an IP address");
const cidrOf = (value: unknown) => textOf(value, cidrMark, "a CIDR");

function isIn(address: string, ...ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = "", bits = ""] = range.split("/");
    list.addSubnet(net, Number(bits), isIPv4(net) ? "ipv4" : "ipv6");
  }
  return list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

function familyOf(address: string): bigint {
  return isIPv4(address) ? 4n : 6n;
}

function contains(outer: string, inner: string): boolean {
  const [address = "", bits = ""] = inner.split("/");
  return (
    familyOf(address) === familyOf(outer.split("/")[0] ?? "") &&
    Number(bits) >= Number(outer.split("/")[1]) &&
    isIn(address, outer)
  );
}

const asIp = (text: unknown) => (typeof text === "string" ? text : ipOf(text));
const asCidr = (text: unknown) => (typeof text === "string" ? text : cidrOf(text));

const test = (name: string, check: (address: string) => boolean) =>
  celMethod(name, OBJECT, [], BOOL, function () {
    return check(ipOf(this));
  });

export const addressFunctions = [
  celFunc("isIP", [STRING], BOOL, (text) => addressFamily(text) !== undefined),
  celFunc("isCIDR", [STRING], BOOL, (text) => cidrFamily(text) !== undefined),
  celFunc("ip", [STRING], DYN, (text) => {
    if (addressFamily(text) === undefined) {
      throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
    }
    return marked(ipMark, text);
  }),
  celFunc("cidr", [STRING], DYN, (text) => {
    if (cidrFamily(text) === undefined) throw new Error("network address parse error during conversion from string");
    return marked(cidrMark, text);
  }),
  celMethod("family", OBJECT, [], INT, function () {
    return familyOf(ipOf(this));
  }),
  test("isUnspecified", (ip) => ip === "0.0.0.0" || ip === "::"),
  test("isLoopback", (ip) => isIn(ip, "127.0.0.0/8", "::1/128")),
  test("isLinkLocalUnicast", (ip) => isIn(ip, "169.254.0.0/16", "fe80::/10")),
  test("isLinkLocalMulticast", (ip) => isIn(ip, "224.0.0.0/24", "ff02::/16")),
  test("isGlobalUnicast", (ip) =>
    !isIn(
      ip,
      "0.0.0.0/32",
      "127.0.0.0/8",
      "169.254.0.0/16",
      "224.0.0.0/4",
      "255.255.255.255/32",
      "::/127",
      "fe80::/10",
      "ff00::/8",
    )),
  celMethod("containsIP", OBJECT, [DYN], BOOL, function (ip) {
    return isIn(asIp(ip), cidrOf(this));
  }),
  celMethod("containsCIDR", OBJECT, [DYN], BOOL, function (cidr) {
    return contains(cidrOf(this), asCidr(cidr));
  }),
  celMethod("prefixLength", OBJECT, [], INT, function () {
    return BigInt(cidrOf(this).split("/")[1] ?? "0");
  }),
];
