import { bodyBytes, filled, type HostileRequest, many, ownAccess, configMaps } from "./hostile-request.ts";

/** The size of the longest YAML that is read: slightly below 256 KiB, and below 10,000 tokens. */
const [readBytes, readTokens] = [256 * 1024 - 100, 9_900];

/** The most expensive documents of each kind within all limits. */
const withinBudget = new Map<string, () => string>([
  ["a flow list", () => `a: [${many(readTokens / 3, () => "1")}]`],
  ["keys", () => many(readTokens / 7, (i) => `k${i}: 1`, "\n")],
  ["lists of dashes", () => many(readTokens / 125, () => `${"- ".repeat(60)}a`, "\n")],
  ["a syntax error at every character", () => `a: [${filled(",", readTokens - 100)}]`],
  ["anchors", () => `a: ${filled("&a ", readTokens)}x`],
  ["a quoted text of empty lines", () => `a: '${filled("\n", readBytes)}'`],
  ["a literal text of short lines", () => `a: |\n${filled("  x\n", readBytes)}`],
  ["a folded text of short lines", () => `a: >\n${filled("  x\n\n", readBytes)}`],
  ["a number of many digits", () => `a: ${filled("9", readBytes)}`],
  ["a number of base 60", () => `a: ${filled("1:", readBytes)}1`],
  ["lines of comment", () => `${many(readTokens / 2 - 50, () => "# x", "\n")}\na: 1`],
  [
    "merge keys of merge keys",
    () => `a: ${"{<<: ".repeat(20)}{${many(readTokens / 6, (i) => `k${i}: 1`)}}${"}".repeat(20)}`,
  ],
]);

/** YAML costs its reader a hundred times as much as JSON, and every user may send it. */
export const yamlBodies: readonly HostileRequest[] = [
  yaml("a flow list of 1.5 million numbers", () => `a: [${filled("1,")}1]`),
  yaml("a block list", () => filled("- 1\n")),
  yaml("300,000 keys", () => many(300_000, (i) => `k${i}: 1`, "\n").slice(0, bodyBytes)),
  yaml("keys that are maps, 1,000 deep", () => `${"? ".repeat(1_000)}a`),
  yaml("keys that are maps, 40 deep", () => `${"? ".repeat(40)}a`),
  yaml("nested flow lists", () => "[".repeat(100_000)),
  yaml("nested dashes", () => "- ".repeat(100_000)),
  yaml("lines of comment", () => `${filled("# x\n")}a: 1`),
  yaml("empty lines", () => `${filled("\n")}a: 1`),
  yaml("one long text in quotes", () => `a: "${filled("x")}"`),
  yaml("one long text of escapes", () => `a: "${filled("\\u1234")}"`),
  yaml("a quoted text of empty lines", () => `a: '${filled("\n")}'`),
  yaml("a literal text of short lines", () => `a: |\n${filled("  x\n")}`),
  yaml("a folded text of short lines", () => `a: >\n${filled("  x\n\n")}`),
  yaml("a number of 3 million digits", () => `a: ${filled("9")}`),
  yaml("a number of base 60", () => `a: ${filled("1:")}1`),
  yaml("anchors and aliases", () => `a: &a [${many(9, () => "x")}]\n${many(200_000, (i) => `k${i}: *a`, "\n")}`),
  yaml(
    "a billion laughs",
    () => `a0: &a0 x\n${many(12, (i) => `a${i + 1}: &a${i + 1} [${many(9, () => `*a${i}`)}]`, "\n")}`,
  ),
  yaml("a syntax error at every character", () => `a: [${filled(",", 200_000)}]`),
  yaml("one anchor after the other", () => `a: ${filled("&a ", 600_000)}x`),
  yaml("merge keys", () => `a: {${many(50_000, () => "<<: {b: 1}")}}`),
  yaml("a binary value", () => `a: !!binary ${filled("AAAA")}`),
  ...[...withinBudget].map(([what, body]) => yaml(`${what}, as much as is read`, body)),
  {
    name: "YAML to apply: 100,000 keys",
    method: "PATCH",
    path: `${configMaps}/hostile-apply?fieldManager=hostile`,
    contentType: "application/apply-patch+yaml",
    as: "admin",
    body: () => `apiVersion: v1\nkind: ConfigMap\ndata:\n${many(100_000, (i) => `  k${i}: v`, "\n")}`,
  },
];

function yaml(what: string, body: () => string): HostileRequest {
  return { name: `YAML: ${what}`, method: "POST", path: ownAccess, contentType: "application/yaml", body };
}
