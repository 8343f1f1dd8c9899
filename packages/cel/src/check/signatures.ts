import { type StaticType, typeNamed } from "./cel-types.ts";

export interface Signature {
  /** Absent for a function that is not a method. */
  readonly target: StaticType | undefined;
  readonly parameters: readonly StaticType[];
  readonly result: StaticType;
}

const comparable = "bool int uint double string bytes timestamp duration".split(" ");
const numbers = ["int", "uint", "double"];

/** Upstream's declarations of operators, one per line. Capital letters represent any type. */
const operators = `
!_(bool): bool
-_(int): int
-_(double): double
_&&_(bool, bool): bool
_||_(bool, bool): bool
_?_:_(bool, A, A): A
_==_(A, A): bool
_!=_(A, A): bool
${numbers.map((type) => ["+", "-", "*", "/"].map((operator) => `_${operator}_(${type}, ${type}): ${type}`).join("\n")).join("\n")}
_%_(int, int): int
_%_(uint, uint): uint
_+_(string, string): string
_+_(bytes, bytes): bytes
_+_(list(A), list(A)): list(A)
_+_(timestamp, duration): timestamp
_+_(duration, timestamp): timestamp
_+_(duration, duration): duration
_-_(timestamp, timestamp): duration
_-_(timestamp, duration): timestamp
_-_(duration, duration): duration
${["<", "<=", ">", ">="]
  .flatMap((operator) => [
    ...comparable.map((type) => `_${operator}_(${type}, ${type}): bool`),
    ...numbers.flatMap((a) => numbers.filter((b) => b !== a).map((b) => `_${operator}_(${a}, ${b}): bool`)),
  ])
  .join("\n")}
@in(A, list(A)): bool
@in(A, map(A, B)): bool
_[_](list(A), int): A
_[_](map(A, B), A): B
_[_](optional_type(list(A)), int): optional_type(A)
_[_](optional_type(map(A, B)), A): optional_type(B)
@not_strictly_false(bool): bool
`;

/** Functions of the language. */
const standard = `
size(string): int
size(bytes): int
size(list(A)): int
size(map(A, B)): int
string.size(): int
bytes.size(): int
list(A).size(): int
map(A, B).size(): int
type(A): type
dyn(A): dyn
int(int): int
int(uint): int
int(double): int
int(string): int
int(timestamp): int
uint(int): uint
uint(uint): uint
uint(double): uint
uint(string): uint
double(int): double
double(uint): double
double(double): double
double(string): double
bool(bool): bool
bool(string): bool
string(string): string
string(int): string
string(uint): string
string(double): string
string(bool): string
string(bytes): string
string(timestamp): string
string(duration): string
bytes(string): bytes
bytes(bytes): bytes
timestamp(string): timestamp
timestamp(int): timestamp
timestamp(timestamp): timestamp
duration(string): duration
duration(int): duration
duration(duration): duration
string.contains(string): bool
string.startsWith(string): bool
string.endsWith(string): bool
string.matches(string): bool
matches(string, string): bool
${"getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds"
  .split(" ")
  .map((name) => `timestamp.${name}(): int\ntimestamp.${name}(string): int`)
  .join("\n")}
${"getHours getMinutes getSeconds getMilliseconds"
  .split(" ")
  .map((name) => `duration.${name}(): int`)
  .join("\n")}
optional.of(A): optional_type(A)
optional.none(): optional_type(A)
optional.ofNonZeroValue(A): optional_type(A)
optional_type(A).hasValue(): bool
optional_type(A).value(): A
optional_type(A).orValue(A): A
optional_type(A).or(optional_type(A)): optional_type(A)
`;

/** Functions of extensions and of Kubernetes. */
const libraries = `
string.charAt(int): string
string.indexOf(string): int
string.indexOf(string, int): int
string.lastIndexOf(string): int
string.lastIndexOf(string, int): int
list(string).join(): string
list(string).join(string): string
string.lowerAscii(): string
string.upperAscii(): string
string.replace(string, string): string
string.replace(string, string, int): string
string.reverse(): string
string.split(string): list(string)
string.split(string, int): list(string)
string.substring(int): string
string.substring(int, int): string
string.trim(): string
string.format(list(dyn)): string
strings.quote(string): string
list(A).isSorted(): bool
list(A).sum(): A
list(A).min(): A
list(A).max(): A
list(A).indexOf(A): int
list(A).lastIndexOf(A): int
math.greatest(A, B): dyn
math.least(A, B): dyn
math.abs(int): int
math.ceil(double): double
math.floor(double): double
sets.contains(list(A), list(A)): bool
sets.equivalent(list(A), list(A)): bool
sets.intersects(list(A), list(A)): bool
string.find(string): string
string.findAll(string): list(string)
string.findAll(string, int): list(string)
url(string): kubernetes.URL
isURL(string): bool
${"getScheme getHost getHostname getPort getEscapedPath"
  .split(" ")
  .map((name) => `kubernetes.URL.${name}(): string`)
  .join("\n")}
kubernetes.URL.getQuery(): map(string, list(string))
quantity(string): kubernetes.Quantity
isQuantity(string): bool
kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool
kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool
kubernetes.Quantity.compareTo(kubernetes.Quantity): int
kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity
kubernetes.Quantity.add(int): kubernetes.Quantity
kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity
kubernetes.Quantity.sub(int): kubernetes.Quantity
kubernetes.Quantity.sign(): int
kubernetes.Quantity.isInteger(): bool
kubernetes.Quantity.asInteger(): int
kubernetes.Quantity.asApproximateFloat(): double
ip(string): net.IP
isIP(string): bool
net.IP.family(): int
${"isUnspecified isLoopback isLinkLocalUnicast isLinkLocalMulticast isGlobalUnicast"
  .split(" ")
  .map((name) => `net.IP.${name}(): bool`)
  .join("\n")}
cidr(string): net.CIDR
isCIDR(string): bool
net.CIDR.containsIP(string): bool
net.CIDR.containsIP(net.IP): bool
net.CIDR.containsCIDR(string): bool
net.CIDR.containsCIDR(net.CIDR): bool
net.CIDR.prefixLength(): int
semver(string): kubernetes.Semver
semver(string, bool): kubernetes.Semver
isSemver(string): bool
isSemver(string, bool): bool
kubernetes.Semver.isLessThan(kubernetes.Semver): bool
kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool
kubernetes.Semver.compareTo(kubernetes.Semver): int
kubernetes.Semver.major(): int
kubernetes.Semver.minor(): int
kubernetes.Semver.patch(): int
format.named(string): optional_type(kubernetes.NamedFormat)
${"dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime"
  .split(" ")
  .map((name) => `format.${name}(): kubernetes.NamedFormat`)
  .join("\n")}
kubernetes.NamedFormat.validate(string): optional_type(list(string))
jsonpatch.escapeKey(string): string
kubernetes.authorization.Authorizer.path(string): kubernetes.authorization.PathCheck
kubernetes.authorization.Authorizer.group(string): kubernetes.authorization.GroupCheck
kubernetes.authorization.Authorizer.serviceAccount(string, string): kubernetes.authorization.Authorizer
kubernetes.authorization.GroupCheck.resource(string): kubernetes.authorization.ResourceCheck
${"subresource namespace name fieldSelector labelSelector"
  .split(" ")
  .map((name) => `kubernetes.authorization.ResourceCheck.${name}(string): kubernetes.authorization.ResourceCheck`)
  .join("\n")}
kubernetes.authorization.PathCheck.check(string): kubernetes.authorization.Decision
kubernetes.authorization.ResourceCheck.check(string): kubernetes.authorization.Decision
kubernetes.authorization.Decision.allowed(): bool
kubernetes.authorization.Decision.reason(): string
kubernetes.authorization.Decision.errored(): bool
kubernetes.authorization.Decision.error(): string
`;

/** Words that precede a function's name and are not values. */
export const functionNamespaces: ReadonlySet<string> = new Set(
  "optional math sets strings ip cidr format jsonpatch cel".split(" "),
);

let made: ReadonlyMap<string, readonly Signature[]> | undefined;

/** The functions by name. A function of a namespace is named as in `math.abs`. */
export function signaturesOf(name: string): readonly Signature[] {
  made ??= parseAll(`${operators}${standard}${libraries}`);
  return made.get(name) ?? [];
}

function parseAll(text: string): Map<string, Signature[]> {
  const byName = new Map<string, Signature[]>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const { name, ...signature } = parseLine(line);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [signature]);
    else known.push(signature);
  }
  return byName;
}

function parseLine(line: string): Signature & { name: string } {
  const close = line.lastIndexOf("): ");
  const result = parseType(line.slice(close + 3));
  // The bracket of the parameters is the last bracket that closes.
  let depth = 1;
  let open = close - 1;
  for (; depth > 0; open--) depth += line[open] === ")" ? 1 : line[open] === "(" ? -1 : 0;
  open++;
  const parameters = splitList(line.slice(open + 1, close)).map(parseType);
  const head = line.slice(0, open);
  const dot = head.lastIndexOf(".");
  const first = head.slice(0, Math.max(0, dot));
  if (dot < 0 || head.startsWith("_") || functionNamespaces.has(first)) {
    return { name: head, target: undefined, parameters, result };
  }
  return { name: head.slice(dot + 1), target: parseType(first), parameters, result };
}

function parseType(text: string): StaticType {
  const open = text.indexOf("(");
  if (open < 0) return typeNamed(named[text] ?? text);
  return typeNamed(text.slice(0, open), ...splitList(text.slice(open + 1, -1)).map(parseType));
}

const named: Readonly<Record<string, string>> = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

/** Splits at commas that are outside of brackets. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    depth += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (character === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  return part.trim() === "" ? parts : [...parts, part.trim()];
}
