/** IP addresses, parsed strictly: leading zeros and shortened IPv4 addresses are invalid. */

export type AddressFamily = "IPv4" | "IPv6";

/** `undefined` if the text is not an IP address. */
export function addressFamily(text: string): AddressFamily | undefined {
  if (parseIPv4(text) !== undefined) return "IPv4";
  return isIPv6(text) ? "IPv6" : undefined;
}

export function checkAddress(text: string): string[] {
  return addressFamily(text) === undefined ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : [];
}

/** `address/prefix length`. */
export function checkCidr(text: string): string[] {
  return cidrFamily(text) === undefined ? ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"] : [];
}

export function cidrFamily(text: string): AddressFamily | undefined {
  const [address = "", length = "", ...rest] = text.split("/");
  const family = addressFamily(address);
  const bitsMax = family === "IPv4" ? 32 : 128;
  if (family === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return Number(length) <= bitsMax ? family : undefined;
}

/** The four numbers of an IPv4 address. */
export function parseIPv4(text: string): [number, number, number, number] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1) as [string, string, string, string];
  if (parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith("0")))) return undefined;
  return parts.map(Number) as [number, number, number, number];
}

function isIPv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2 || !text.includes(":")) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  // The last 32 bits may be written as an IPv4 address.
  const last = groups.at(-1);
  const embedsIPv4 = last !== undefined && parseIPv4(last) !== undefined && text.endsWith(last);
  const plain = embedsIPv4 ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = plain.length + (embedsIPv4 ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

/**
 * Returns the canonical form of an address: RFC 5952 for IPv6, and IPv4 for an IPv4-mapped IPv6
 * address ("::ffff:10.0.0.1"); undefined for another text.
 */
export function preferredAddress(text: string): string | undefined {
  if (addressFamily(text) !== "IPv6") return addressFamily(text) && text;
  const groups = ipv6Groups(text);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  const { start, length } = longestZeros(groups);
  const write = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return write(groups);
  return `${write(groups.slice(0, start))}::${write(groups.slice(start + length))}`;
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, i) => {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: i + 1 - length, length };
  });
  return best;
}

/**
 * Reports whether an address is valid only on its own host or link; Services may not point to such
 * an address.
 */
export function checkNotSpecial(text: string): string[] {
  const ipv4 = parseIPv4(text);
  const lower = text.toLowerCase();
  const problems: string[] = [];
  if (text === "0.0.0.0" || lower === "::") problems.push(`may not be unspecified (${text})`);
  if (ipv4?.[0] === 127 || lower === "::1") problems.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if ((ipv4?.[0] === 169 && ipv4[1] === 254) || /^fe[89ab]/.test(lower)) {
    problems.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if ((ipv4?.[0] === 224 && ipv4[1] === 0 && ipv4[2] === 0) || lower.startsWith("ff02:")) {
    problems.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return problems;
}

/**
 * The family of a range followed by its fixed bits as zeros and ones; undefined for another text.
 */
export function cidrBits(text: string): string | undefined {
  const family = cidrFamily(text);
  if (family === undefined) return undefined;
  const [address = "", length = ""] = text.split("/");
  const bits =
    family === "IPv4"
      ? ipv4Bits(address)
      : ipv6Groups(address)
          .map((group) => bitsOf(group, 16))
          .join("");
  return `${family} ${bits.slice(0, Number(length))}`;
}

function ipv4Bits(text: string): string {
  return (parseIPv4(text) ?? []).map((part) => bitsOf(part, 8)).join("");
}

/** The eight groups of an address; the caller has checked that the text is an address. */
function ipv6Groups(text: string): number[] {
  const last = text.slice(text.lastIndexOf(":") + 1);
  const four = parseIPv4(last);
  const tail = four === undefined ? undefined : [four[0] * 256 + four[1], four[2] * 256 + four[3]];
  const plain =
    tail === undefined
      ? text
      : text.slice(0, text.length - last.length) + tail.map((each) => each.toString(16)).join(":");
  const [head = [], rest = []] = plain.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = Array.from({ length: 8 - head.length - rest.length }, () => "0");
  return [...head, ...zeros, ...rest].map((group) => Number.parseInt(group, 16));
}

function bitsOf(value: number, width: number): string {
  return value.toString(2).padStart(width, "0");
}
