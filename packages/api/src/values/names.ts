/**
 * A check of a name's form returns upstream's explanations of the faults, an empty list for a valid
 * name. Users search for these strings.
 */
export type NameCheck = (value: string) => string[];

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const wildcard = `\\*\\.${subdomain1123}`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValuePattern = `(${qualifiedPart})?`;
const configKey = "[-._a-zA-Z0-9]+";
const environmentName = "[ -<>-~]+";

const label1123Expression = whole(label1123);
const subdomain1123Expression = whole(subdomain1123);
const wildcardExpression = whole(wildcard);
const label1035Expression = whole(label1035);
const qualifiedPartExpression = whole(qualifiedPart);
const labelValueExpression = whole(labelValuePattern);
const configKeyExpression = whole(configKey);
const environmentNameExpression = whole(environmentName);

const label1123Message =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomain1123Message =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
const label1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const qualifiedMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const configKeyMessage = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
const environmentNameMessage =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const labelLengthMax = 63;
const subdomainLengthMax = 253;
/**
 * Upstream has no limit. A longer name would fit neither into a path nor into a key of the store.
 */
const pathSegmentLengthMax = 1024;

/** A DNS label: namespaces, containers, volumes. */
export function checkLabel1123(value: string): string[] {
  const problems = tooLong(value, labelLengthMax);
  if (!label1123Expression.test(value)) problems.push(mismatch(label1123Message, label1123, ["my-name", "123-abc"]));
  return problems;
}

/** A DNS subdomain: most objects' names. */
export function checkSubdomain1123(value: string): string[] {
  const problems = tooLong(value, subdomainLengthMax);
  if (!subdomain1123Expression.test(value)) {
    problems.push(mismatch(subdomain1123Message, subdomain1123, ["example.com"]));
  }
  return problems;
}

/** `*.example.com`: hosts of an Ingress. */
export function checkWildcardSubdomain(value: string): string[] {
  const problems = tooLong(value, subdomainLengthMax);
  if (!wildcardExpression.test(value)) problems.push(mismatch(wildcardMessage, wildcard, ["*.example.com"]));
  return problems;
}

/** A DNS label that starts with a letter: Services. */
export function checkLabel1035(value: string): string[] {
  const problems = tooLong(value, labelLengthMax);
  if (!label1035Expression.test(value)) problems.push(mismatch(label1035Message, label1035, ["my-name", "abc-123"]));
  return problems;
}

/** A path segment: RBAC's names, which may contain colons. */
export function checkPathSegment(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return tooLong(value, pathSegmentLengthMax).concat(
    ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`),
  );
}

/** `name` or `prefix.example.com/name`: label and annotation keys, finalizers, condition types. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split("/", 3);
  if (parts.length > 2) {
    const shape = mismatch(qualifiedMessage, qualifiedPart, ["MyName", "my.name", "123-abc"]);
    return [`a qualified name ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  const [prefix, name] = parts.length === 2 ? (parts as [string, string]) : [undefined, value];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    problems.push(...checkSubdomain1123(prefix).map((problem) => `prefix part ${problem}`));
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, labelLengthMax).map((problem) => `name part ${problem}`));
  if (!qualifiedPartExpression.test(name)) {
    problems.push(`name part ${mismatch(qualifiedMessage, qualifiedPart, ["MyName", "my.name", "123-abc"])}`);
  }
  return problems;
}

export function checkLabelValue(value: string): string[] {
  const problems = tooLong(value, labelLengthMax);
  if (!labelValueExpression.test(value)) {
    problems.push(mismatch(labelValueMessage, labelValuePattern, ["MyValue", "my_value", "12345"]));
  }
  return problems;
}

/** A key of a ConfigMap or Secret, which is also a file name. */
export function checkConfigKey(value: string): string[] {
  const problems = tooLong(value, subdomainLengthMax);
  if (!configKeyExpression.test(value)) {
    problems.push(mismatch(configKeyMessage, configKey, ["key.name", "KEY_NAME", "key-name"]));
  }
  return [...problems, ...dotProblems(value)];
}

export function checkEnvironmentName(value: string): string[] {
  if (environmentNameExpression.test(value)) return [];
  return [mismatch(environmentNameMessage, environmentName, ["my-name", "MY_NAME", "MyName"])];
}

/** A container port's name, as IANA names services. */
export function checkPortName(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 15) problems.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(value))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function checkPortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/**
 * Turns a check of names into a check of the prefix of a generated name. More characters follow the
 * prefix, so it may end in characters that are not allowed at the end of a name.
 */
export function asPrefix(check: NameCheck): NameCheck {
  return (value) => check(value.endsWith("-") ? `${value.slice(0, -1)}a` : value);
}

function dotProblems(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

function tooLong(value: string, max: number): string[] {
  return value.length > max ? [`must be no more than ${max} characters`] : [];
}

function mismatch(message: string, pattern: string, examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}'`).join(",  or ");
  return `${message} (e.g. ${quoted}, regex used for validation is '${pattern}')`;
}

/** Longer than any name may be, and short enough that expressions need little time and stack. */
const matchedLengthMax = 1024;

function whole(pattern: string): Pick<RegExp, "test"> {
  const expression = new RegExp(`^${pattern}$`);
  return { test: (text) => text.length <= matchedLengthMax && expression.test(text) };
}
