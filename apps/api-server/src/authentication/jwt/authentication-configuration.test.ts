import { describe, expect, test } from "vitest";
import { authenticationConfig } from "./oidc-flags.ts";
import { parseAuthenticationConfiguration } from "./authentication-configuration.ts";

const file = (jwt: unknown) => ({
  source: "auth.yaml",
  text: JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", jwt }),
});
const issuer = { url: "https://issuer.example.com", audiences: ["kubernetes"] };
const username = { claim: "sub", prefix: "" };
const parse = (jwt: unknown) => parseAuthenticationConfiguration(file(jwt), ["https://own.example.com"]).issuers;

test("a configuration is parsed", () => {
  const [one, two] = parse([
    {
      issuer: { ...issuer, discoveryURL: "https://inside.example.com/discovery", audienceMatchPolicy: "MatchAny" },
      claimMappings: {
        username: { expression: 'claims.email_verified ? claims.email : "none"' },
        groups: { expression: "claims.groups" },
        uid: { claim: "oid" },
        extra: [{ key: "example.com/tenant", valueExpression: "claims.tenant" }],
      },
      claimValidationRules: [{ claim: "hd", requiredValue: "example.com" }, { expression: "claims.exp > 0" }],
      userValidationRules: [{ expression: "user.username.size() > 1", message: "too short" }],
    },
    { issuer: { ...issuer, url: "https://b.example.com" }, claimMappings: { username } },
  ]);
  expect(one).toMatchObject({
    issuer: { url: issuer.url, discoveryUrl: "https://inside.example.com/discovery", audiences: ["kubernetes"] },
    uid: { claim: "oid", prefix: "" },
    claimRules: [{ claim: "hd", requiredValue: "example.com" }, { text: "claims.exp > 0" }],
  });
  expect(two).toMatchObject({ username: { claim: "sub", prefix: "" }, groups: undefined });
});

test("the expressions of each issuer have their own limit, which equals an object's limit", () => {
  const rule = (index: number) => ({ expression: `claims.sub != "${index}${"x".repeat(9_000)}"` });
  const rules = (count: number) => Array.from({ length: count }, (_, index) => rule(index));
  const entry = (url: string, count: number) => ({
    issuer: { ...issuer, url },
    claimMappings: { username },
    claimValidationRules: rules(count),
  });
  expect(parse([entry("https://a.example.com", 3), entry("https://b.example.com", 3)])).toHaveLength(2);
  expect(() => parse([entry("https://a.example.com", 4)])).toThrow("longer than 32768 characters together");
});

describe("a configuration is rejected", () => {
  const mapping = (claimMappings: object, more: object = {}) => [{ issuer, claimMappings, ...more }];
  test.each<[string, unknown, string]>([
    [
      "an issuer by http",
      [{ issuer: { ...issuer, url: "http://a.b" }, claimMappings: { username } }],
      "URL scheme must be https",
    ],
    [
      "an issuer with a password",
      [{ issuer: { ...issuer, url: "https://a:b@c.d" }, claimMappings: { username } }],
      "must not contain a username",
    ],
    [
      "the server's own issuer",
      [{ issuer: { ...issuer, url: "https://own.example.com" }, claimMappings: { username } }],
      "this server's own",
    ],
    ["an issuer twice", [...mapping({ username }), ...mapping({ username })], "is already an issuer"],
    [
      "no audience",
      [{ issuer: { ...issuer, audiences: [] }, claimMappings: { username } }],
      "at least one audience is required",
    ],
    [
      "a discoveryURL that is the issuer's",
      [{ issuer: { ...issuer, discoveryURL: `${issuer.url}/` }, claimMappings: { username } }],
      "discoveryURL must be different from URL",
    ],
    [
      "an invalid authority",
      [{ issuer: { ...issuer, certificateAuthority: "PEM" }, claimMappings: { username } }],
      "does not contain any valid certificates",
    ],
    ["no mapping of the username", mapping({ username: {} }), "claim or expression is required"],
    [
      "two sources of names",
      mapping({ username: { claim: "a", prefix: "", expression: "claims.a" } }),
      "can't both be set",
    ],
    ["a claim without a prefix", mapping({ username: { claim: "sub" } }), "prefix is required when claim is set"],
    [
      "an expression with a prefix",
      mapping({ username: { expression: "claims.sub", prefix: "a" } }),
      "prefix can't be set",
    ],
    ["an invalid expression", mapping({ username: { expression: "claims." } }), "compilation failed"],
    [
      "an expression of another variable",
      mapping({ username: { expression: "user.name" } }),
      "undeclared reference to 'user'",
    ],
    ["a name that is a number", mapping({ username: { expression: "1 + 1" } }), "must evaluate to string, not to int"],
    [
      "a rule that is a string",
      mapping({ username }, { claimValidationRules: [{ expression: "'yes'" }] }),
      "must evaluate to bool",
    ],
    [
      "an email that may not be verified",
      mapping({ username: { expression: "claims.email" } }),
      "claims.email_verified must be used",
    ],
    [
      "the same by its key",
      mapping({ username: { expression: "claims['email']" } }),
      "claims.email_verified must be used",
    ],
    [
      "an unknown field of the user",
      mapping({ username }, { userValidationRules: [{ expression: "user.nam == ''" }] }),
      "undefined field 'nam'",
    ],
    [
      "an extra key that Kubernetes reserves",
      mapping({ username, extra: [{ key: "authentication.kubernetes.io/x", valueExpression: "claims.a" }] }),
      "reserved for Kubernetes use",
    ],
    [
      "an extra key without a domain",
      mapping({ username, extra: [{ key: "tenant", valueExpression: "claims.a" }] }),
      "domain-prefixed path",
    ],
    ["an unknown field", [{ issuer, claimMappings: { username, group: username } }], "group"],
  ])("with %s", (_name, jwt, message) => {
    expect(() => parse(jwt)).toThrow(message);
  });

  test("with its place in the file", () => {
    const text = [
      "apiVersion: apiserver.config.k8s.io/v1beta1",
      "kind: AuthenticationConfiguration",
      "jwt:",
      "- issuer: { url: https://a.example.com, audiences: [k] }",
      "  claimMappings:",
      "    username: { expression: 1 + 1 }",
    ].join("\n");
    expect(() => parseAuthenticationConfiguration({ text, source: "auth.yaml" }, [])).toThrow(/auth\.yaml:6:\d+/);
  });
});

describe("the flags of a single issuer", () => {
  const none = {
    "authentication-config": undefined,
    "oidc-issuer-url": "",
    "oidc-client-id": "",
    "oidc-username-claim": "sub",
    "oidc-username-prefix": "",
    "oidc-groups-claim": "",
    "oidc-groups-prefix": "",
    "oidc-required-claim": [],
    "oidc-signing-algs": ["RS256"],
    "oidc-ca-file": undefined,
  };
  const one = { ...none, "oidc-issuer-url": "https://a.example.com", "oidc-client-id": "k" };

  test("equal an entry of the file", () => {
    const given = { ...one, "oidc-groups-claim": "groups", "oidc-required-claim": ["team=a=b"] };
    expect(authenticationConfig(given).oidc?.settings).toMatchObject({
      issuer: { url: "https://a.example.com", audiences: ["k"] },
      username: { claim: "sub", prefix: "https://a.example.com#" },
      groups: { claim: "groups", prefix: "" },
      claimRules: [{ claim: "team", requiredValue: "a=b" }],
      algorithms: ["RS256"],
    });
    expect(authenticationConfig(none)).toEqual({ file: undefined, oidc: undefined });
  });

  test.each([
    [{ "oidc-username-prefix": "-" }, ""],
    [{ "oidc-username-claim": "email" }, ""],
    [{ "oidc-username-claim": "email", "oidc-username-prefix": "x:" }, "x:"],
  ])("%j prefixes names with %j", (more, prefix) => {
    expect(authenticationConfig({ ...one, ...more }).oidc?.settings.username).toMatchObject({ prefix });
  });

  test.each([
    ["a file as well", { "authentication-config": "f" }, "mutually exclusive"],
    ["no audience", { "oidc-client-id": "" }, "must be specified together"],
    ["an issuer by http", { "oidc-issuer-url": "http://a" }, "URL scheme must be https"],
    ["an algorithm of secrets", { "oidc-signing-algs": ["HS256"] }, '"HS256" is not one of'],
    ["a claim without a value", { "oidc-required-claim": ["team"] }, "must be key=value"],
  ])("are rejected with %s", (_name, more, message) => {
    expect(() => authenticationConfig({ ...one, ...more })).toThrow(message);
  });
});
