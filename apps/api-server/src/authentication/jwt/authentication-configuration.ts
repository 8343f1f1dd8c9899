import { X509Certificate } from "node:crypto";
import {
  type CelExpression,
  childrenOf,
  compileCel,
  dyn,
  type Expr,
  ExpressionBudget,
  listOfType,
  mapOfType,
  objectWith,
  type StaticType,
  typeNamed,
  typeText,
} from "@kintsugi/cel";
import { checkSubdomain1123, messageOf } from "@kintsugi/api";
import { parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";
import type { ClaimRule, ClaimSource, ExpressionRule, JwtSettings } from "./jwt-settings.ts";
import { jwtAlgorithms } from "./signed-jwt.ts";

// AuthenticationConfiguration of apiserver.config.k8s.io, as upstream reads it:
//
//   apiVersion: apiserver.config.k8s.io/v1
//   kind: AuthenticationConfiguration
//   jwt:
//   - issuer: { url: https://issuer.example.com, audiences: [kubernetes] }
//     claimMappings:
//       username: { claim: sub, prefix: "oidc:" }
//       groups: { expression: 'claims.roles.map(role, "oidc:" + role)' }

const text = z.string().default("");
const Source = z.strictObject({ claim: text, prefix: z.string().optional(), expression: text });
const Rule = z.strictObject({ claim: text, requiredValue: text, expression: text, message: text });
const Jwt = z.strictObject({
  issuer: z.strictObject({
    url: z.string(),
    discoveryURL: text,
    certificateAuthority: text,
    audiences: z.array(z.string().min(1)).min(1, "at least one audience is required").max(64),
    audienceMatchPolicy: z.enum(["", "MatchAny"]).default(""),
  }),
  claimValidationRules: z.array(Rule).max(64).default([]),
  claimMappings: z.strictObject({
    username: Source,
    groups: Source.optional(),
    uid: z.strictObject({ claim: text, expression: text }).optional(),
    extra: z
      .array(z.strictObject({ key: z.string(), valueExpression: z.string() }))
      .max(64)
      .default([]),
  }),
  userValidationRules: z
    .array(z.strictObject({ expression: z.string(), message: text }))
    .max(64)
    .default([]),
});
const Configuration = z.strictObject({
  apiVersion: z.enum([
    "apiserver.config.k8s.io/v1",
    "apiserver.config.k8s.io/v1beta1",
    "apiserver.config.k8s.io/v1alpha1",
  ]),
  kind: z.literal("AuthenticationConfiguration"),
  jwt: z.array(Jwt).max(64, "must have at most 64 items").default([]),
  anonymous: z
    .strictObject({
      enabled: z.boolean().default(false),
      conditions: z
        .array(z.strictObject({ path: z.string().min(1, "path should be a valid non-empty string") }))
        .max(64, "must have at most 64 items")
        .default([]),
    })
    .optional(),
});

/** Reports whether an anonymous client may send a request to a path. */
export type AllowsAnonymous = (path: string) => boolean;

interface ReadConfiguration {
  readonly issuers: JwtSettings[];
  /**
   * Admits requests without an identity, which are then authorized as system:anonymous; undefined
   * where the file does not set it.
   */
  readonly allowsAnonymous: AllowsAnonymous | undefined;
}

type Path = readonly (string | number)[];
type Report = (path: Path, message: string) => void;

/**
 * Reads an AuthenticationConfiguration.
 * @param file its text, and its name for messages.
 * @param disallowed issuers that no entry may have, because the server itself has them.
 * @throws InvalidFile with all its faults, each with its line and column.
 */
export function parseAuthenticationConfiguration(
  file: { text: string; source: string },
  disallowed: readonly string[],
): ReadConfiguration {
  const { source } = file;
  const parsed = parseYaml(file.text, { schema: Configuration, source, whole: "AuthenticationConfiguration" });
  const faults: { path: Path; message: string }[] = [];
  const { jwt, anonymous } = parsed.value;
  if (anonymous?.enabled === false && anonymous.conditions.length > 0) {
    const message = "enabled should be set to true when conditions are defined";
    faults.push({ path: ["anonymous", "conditions"], message });
  }
  const seen = { urls: new Set(disallowed), discoveryUrls: new Set<string>() };
  const settings = jwt.map((each, index) => {
    const report: Report = (path, message) => faults.push({ path: ["jwt", index, ...path], message });
    validateIssuer(each.issuer, seen, (path, message) => report(["issuer", ...path], message));
    return readJwt(each, report);
  });
  if (faults.length > 0) throw parsed.invalid(faults);
  // Every expression is present when there are no faults.
  return { issuers: settings as JwtSettings[], allowsAnonymous: anonymous && admitsTo(anonymous) };
}

function admitsTo(anonymous: NonNullable<z.output<typeof Configuration>["anonymous"]>): AllowsAnonymous {
  const paths = new Set(anonymous.conditions.map(({ path }) => path));
  return (path) => anonymous.enabled && (paths.size === 0 || paths.has(path));
}

function validateIssuer(
  { url, discoveryURL, certificateAuthority: ca, audiences }: z.output<typeof Jwt>["issuer"],
  seen: { urls: Set<string>; discoveryUrls: Set<string> },
  report: Report,
): void {
  for (const fault of urlFaults(url)) report(["url"], fault);
  if (seen.urls.has(url))
    report(["url"], `${JSON.stringify(url)} is already an issuer, or is this server's own issuer`);
  seen.urls.add(url);
  if (new Set(audiences).size !== audiences.length) report(["audiences"], "an audience is listed twice");
  if (ca !== "" && !isCertificate(ca)) report(["certificateAuthority"], "data does not contain any valid certificates");
  if (discoveryURL === "") return;
  for (const fault of urlFaults(discoveryURL)) report(["discoveryURL"], fault);
  const plain = (each: string) => each.replace(/\/+$/, "");
  if (plain(discoveryURL) === plain(url)) report(["discoveryURL"], "discoveryURL must be different from URL");
  if (seen.discoveryUrls.has(discoveryURL)) report(["discoveryURL"], "another issuer has the same discoveryURL");
  seen.discoveryUrls.add(discoveryURL);
}

/** The reasons for which documents may not be read from a URL, in upstream's words. */
export function urlFaults(value: string): string[] {
  if (!URL.canParse(value)) return ["must be a URL"];
  const { protocol, username, password } = new URL(value);
  return [
    ...(protocol === "https:" ? [] : ["URL scheme must be https"]),
    ...(username === "" && password === "" ? [] : ["URL must not contain a username or password"]),
    ...(value.includes("?") ? ["URL must not contain a query"] : []),
    ...(value.includes("#") ? ["URL must not contain a fragment"] : []),
  ];
}

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

const string = typeNamed("string");
const ofClaims = { claims: mapOfType(string, dyn) };
const ofUser = {
  user: objectWith("kubernetes.UserInfo", {
    username: string,
    uid: string,
    groups: listOfType(string),
    extra: mapOfType(string, listOfType(string)),
  }),
};
const [isBool, isText, isTexts] = [["bool"], ["string"], ["string", "list(string)", "list(dyn)"]] as const;

function readJwt(given: z.output<typeof Jwt>, report: Report) {
  const used: Expr[] = [];
  const budget = new ExpressionBudget();
  const compile = (path: Path, expression: string, types: readonly string[]) =>
    compileOf(expression, { types, variables: ofClaims, used, budget, report: (message) => report(path, message) });
  const { username, groups, uid, extra } = given.claimMappings;
  const source = (path: Path, each: z.output<typeof Source>, types: readonly string[]) =>
    sourceOf(
      each,
      (message) => report(path, message),
      () => compile([...path, "expression"], each.expression, types),
    );
  const usernameSource = source(["claimMappings", "username"], username, isText);
  const usesEmail = used.some((expr) => selects(expr, "email"));
  const settings = {
    issuer: {
      url: given.issuer.url,
      discoveryUrl: given.issuer.discoveryURL || undefined,
      ca: given.issuer.certificateAuthority || undefined,
      audiences: given.issuer.audiences,
    },
    username: usernameSource,
    groups:
      groups && (groups.claim || groups.expression ? source(["claimMappings", "groups"], groups, isTexts) : undefined),
    uid:
      uid && (uid.claim || uid.expression)
        ? source(["claimMappings", "uid"], { ...uid, prefix: uid.claim === "" ? undefined : "" }, isText)
        : undefined,
    extra: extra.map(({ key, valueExpression }, index) => {
      for (const fault of keyFaults(key)) report(["claimMappings", "extra", index, "key"], fault);
      return {
        key,
        expression: compile(["claimMappings", "extra", index, "valueExpression"], valueExpression, isTexts),
      };
    }),
    claimRules: given.claimValidationRules.map((rule, index) =>
      claimRuleOf(
        rule,
        (message) => report(["claimValidationRules", index], message),
        () => compile(["claimValidationRules", index, "expression"], rule.expression, isBool),
      ),
    ),
    userRules: given.userValidationRules.map(({ expression, message }, index) => ({
      expression: compileOf(expression, {
        types: isBool,
        variables: ofUser,
        used,
        budget,
        report: (fault) => report(["userValidationRules", index, "expression"], fault),
      }),
      text: expression,
      message,
    })),
    algorithms: jwtAlgorithms,
  };
  if (usesEmail && !used.some((expr) => selects(expr, "email_verified"))) {
    report(
      ["claimMappings", "username", "expression"],
      "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression",
    );
  }
  return settings;
}

type Variables = Readonly<Record<string, StaticType>>;

function compileOf(
  text: string,
  options: {
    types: readonly string[];
    variables: Variables;
    used: Expr[];
    /** The cost budget of an issuer's expressions is the budget of an API object. */
    budget: ExpressionBudget;
    report: (message: string) => void;
  },
): CelExpression | undefined {
  if (text === "") {
    options.report("expression is required");
    return undefined;
  }
  const excess = options.budget.explain(text);
  if (excess !== undefined) {
    options.report(`compilation failed: ${excess}`);
    return undefined;
  }
  try {
    const expression = compileCel(text);
    const { type, faults } = expression.check(options.variables);
    for (const fault of faults) options.report(`compilation failed: ${fault}`);
    const is = typeText(type);
    if (faults.length === 0 && is !== "dyn" && !options.types.includes(is)) {
      options.report(`must evaluate to ${options.types.slice(0, 2).join(" or ")}, not to ${is}`);
    }
    options.used.push(expression.expr);
    return expression;
  } catch (error) {
    options.report(`compilation failed: ${messageOf(error)}`);
    return undefined;
  }
}

/** Reports whether the expression reads `claims.NAME` or `claims["NAME"]`. */
function selects(expr: Expr, name: string): boolean {
  const { exprKind } = expr;
  const isClaims = (each: Expr | undefined) =>
    each?.exprKind.case === "identExpr" && each.exprKind.value.name === "claims";
  if (exprKind.case === "selectExpr" && exprKind.value.field === name && isClaims(exprKind.value.operand)) return true;
  if (exprKind.case === "callExpr" && isClaims(exprKind.value.target ?? exprKind.value.args[0])) {
    const isName = exprKind.value.args.some(
      ({ exprKind: kind }) =>
        kind.case === "constExpr" &&
        kind.value.constantKind.case === "stringValue" &&
        kind.value.constantKind.value === name,
    );
    if (isName) return true;
  }
  return childrenOf(expr).some((child) => selects(child, name));
}

function sourceOf(
  { claim, prefix, expression }: z.output<typeof Source>,
  report: (message: string) => void,
  compile: () => CelExpression | undefined,
): ClaimSource | { expression: undefined } {
  if (claim !== "" && expression !== "") report("claim and expression can't both be set");
  else if (claim === "" && expression === "") report("claim or expression is required");
  else if (claim === "") {
    if (prefix !== undefined) report("prefix can't be set when expression is set");
    return { expression: compile() } as ClaimSource;
  } else if (prefix === undefined) {
    report("prefix is required when claim is set. It can be set to an empty string to disable prefixing");
  } else return { claim, prefix };
  return { expression: undefined };
}

function claimRuleOf(
  { claim, requiredValue, expression, message }: z.output<typeof Rule>,
  report: (message: string) => void,
  compile: () => CelExpression | undefined,
): ClaimRule | { expression: undefined } {
  if (claim !== "" && expression !== "") report("claim and expression can't both be set");
  else if (claim === "" && expression === "") report("claim or expression is required");
  else if (claim !== "") {
    if (message !== "") report("message may not be specified when claim is set");
    return { claim, requiredValue };
  } else {
    if (requiredValue !== "") report("requiredValue may not be specified when expression is set");
    return { expression: compile(), text: expression, message } as ExpressionRule;
  }
  return { expression: undefined };
}

function keyFaults(key: string): string[] {
  const [domain = "", path = ""] = key.split(/\/(.*)/s);
  if (path === "" || checkSubdomain1123(domain).length > 0)
    return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  const isReserved = /(^|\.)(k8s|kubernetes)\.io$/.test(domain);
  return [
    ...(key === key.toLowerCase() ? [] : ["must be lowercase"]),
    ...(isReserved ? ["k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"] : []),
  ];
}
