import { celFunc, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";

const { BOOL, DYN, INT, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks a map that represents a semantic version; equal versions are equal maps. */
const mark = "@semver";

interface Version {
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}

const form =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

/** Longer texts are not versions, because the parts are compared one by one. */
const lengthMax = 256;

/** Removes a leading "v" and leading zeros, and adds missing parts. */
function normalized(text: string): string {
  const [, core = "", rest = ""] = /^v?([^-+]*)(.*)$/s.exec(text.trim()) ?? [];
  const parts = core.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + rest;
}

function parse(text: string, normalizes: boolean): Version | undefined {
  if (text.length > lengthMax) return undefined;
  const match = form.exec(normalizes ? normalized(text) : text);
  if (match === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", before = ""] = match;
  return { numbers: [major, minor, patch].map(BigInt), before: before === "" ? [] : before.split(".") };
}

function made(text: string, normalizes: boolean): never {
  const version = parse(text, normalizes);
  if (version === undefined) throw new Error(`invalid semantic version ${JSON.stringify(text)}`);
  const canonical = version.numbers.join(".") + (version.before.length === 0 ? "" : `-${version.before.join(".")}`);
  return celMap(new Map([[mark, canonical]]) as never) as never;
}

function versionOf(value: unknown): Version {
  const text = (value as ReturnType<typeof celMap>).get(mark);
  const version = typeof text === "string" ? parse(text, false) : undefined;
  if (version === undefined) throw new Error("no such overload: the value is not a semantic version");
  return version;
}

function compare(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  // A release is newer than its pre-releases.
  if (left.before.length === 0 || right.before.length === 0) return right.before.length - left.before.length;
  for (const [index, part] of left.before.entries()) {
    const other = right.before[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return BigInt(part) < BigInt(other) ? -1 : 1;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return left.before.length - right.before.length;
}

const part = (name: string, index: number) =>
  celMethod(name, OBJECT, [], INT, function () {
    return versionOf(this).numbers[index] ?? 0n;
  });

/** Kubernetes' library of semantic versions. */
export const semverFunctions = [
  celFunc("semver", [STRING], DYN, (text) => made(text, false)),
  celFunc("semver", [STRING, BOOL], DYN, (text, normalizes) => made(text, normalizes)),
  celFunc("isSemver", [STRING], BOOL, (text) => parse(text, false) !== undefined),
  celFunc("isSemver", [STRING, BOOL], BOOL, (text, normalizes) => parse(text, normalizes) !== undefined),
  part("major", 0),
  part("minor", 1),
  part("patch", 2),
];

/** Compares two versions: below zero where the first version is older. */
export function compareSemvers(left: unknown, right: unknown): number | undefined {
  const isVersion = (value: unknown) => (value as ReturnType<typeof celMap>).has(mark);
  return isVersion(left) ? Math.sign(compare(versionOf(left), versionOf(right))) : undefined;
}
