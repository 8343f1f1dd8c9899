import { checkLabel1123, checkSubdomain1123 } from "@kintsugi/api";

/**
 * The formats that schemas may require of strings, as OpenAPI's validation in Go defines them. A
 * format that is not in this table is ignored, as in upstream.
 */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  "date-time": isDateTime,
  datetime: isDateTime,
  duration: isDuration,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  email: (text) => text.length <= 320 && /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]+$/.test(text),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(text),
  uri: isUri,
  uuid: uuid("[0-9a-f]", "[0-9a-f]"),
  uuid3: uuid("3", "[0-9a-f]"),
  uuid4: uuid("4", "[89ab]"),
  uuid5: uuid("5", "[89ab]"),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: (text) => /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/i.test(text),
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  creditcard: (text) => /^[\d -]{12,23}$/.test(text),
  isbn: (text) => /^[\dX -]{10,17}$/.test(text),
  isbn10: (text) => /^[\dX -]{10,13}$/.test(text),
  isbn13: (text) => /^[\d -]{13,17}$/.test(text),
  "k8s-short-name": (text) => checkLabel1123(text).length === 0,
  "k8s-long-name": (text) => checkSubdomain1123(text).length === 0,
};

/** Only URIs and base64 have longer strings, and their expressions take linear time. */
const formattedLengthMax = 64 * 1024;

/** Reports whether the text has the format; an unknown format accepts every text. */
export function hasFormat(text: string, format: string): boolean {
  // Upstream accepts a format's name with and without hyphens.
  const check = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return check === undefined || (text.length <= formattedLengthMax && check(text));
}

function uuid(version: string, variant: string): (text: string) => boolean {
  const expression = new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    "i",
  );
  return (text) => expression.test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const days = Number(month) === 2 && isLeap(Number(year)) ? 29 : daysOfMonth[Number(month) - 1];
  return days !== undefined && Number(day) >= 1 && Number(day) <= days;
}

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isDateTime(text: string): boolean {
  const [, date, hour, minute, second] =
    /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  return date !== undefined && isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

/** A duration of Go, or a number with a unit in words. */
function isDuration(text: string): boolean {
  return (
    /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(text) ||
    /^[+-]?0$/.test(text) ||
    /^\d+\s*(nanosecond|microsecond|millisecond|second|minute|hour|day|week|month|year|d|w)s?$/.test(text)
  );
}

function isHostname(text: string): boolean {
  return (
    text.length <= 253 && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i.test(text)
  );
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 45 || !text.includes(":")) return false;
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const mapped = tail.includes(".");
  if (mapped && !isIpv4(tail)) return false;
  const plain = mapped ? `${text.slice(0, -tail.length)}0:0` : text;
  const halves = plain.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

/** Go's url.ParseRequestURI: an absolute path, or a URL with its scheme. */
function isUri(text: string): boolean {
  if (text === "" || !/^[!-~\u0080-\uffff]+$/.test(text)) return false;
  return text.startsWith("/") || /^[a-z][a-z0-9+.-]*:./i.test(text);
}
