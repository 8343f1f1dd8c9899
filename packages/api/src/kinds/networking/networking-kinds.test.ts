import { describe, expect, test } from "vitest";
import { anObject } from "../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../validation/validate.ts";
import type { Kind } from "../define-kind.ts";
import { ingressClassKind } from "./ingress-class/ingress-class-kind.ts";
import { ingressKind } from "./ingress/ingress-kind.ts";
import { networkPolicyKind } from "./network-policy/network-policy-kind.ts";

const service = (port: object = { number: 80 }, name = "web") => ({ service: { name, port } });
const paths = (...list: object[]) => ({ rules: [{ http: { paths: list } }] });
const aPath = (path: string, pathType = "Prefix") => ({ path, pathType, backend: service() });
const wildcard =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const cidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function faultsOf(kind: Kind, body: object): string[] {
  return validateCreate(kind, anObject(kind, body)).map(({ field, message }) => `${field}: ${message}`);
}

describe("a new Ingress", () => {
  const [backend, path] = ["spec.defaultBackend", "spec.rules[0].http.paths[0]"];
  test.each<[string, object, string[]]>([
    ["with a default", { defaultBackend: service({ name: "http" }) }, []],
    ["of hosts", { ...paths(aPath("/a", "Exact")), tls: [{ hosts: ["*.example.com"], secretName: "s" }] }, []],
    ["of nothing", {}, ["spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"]],
    [
      "with invalid hosts",
      { rules: [{ host: "10.0.0.1" }, { host: "a.*.b" }], tls: [{ hosts: ["*"] }] },
      [
        'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
        `spec.rules[1].host: Invalid value: "a.*.b": ${wildcard}`,
        `spec.tls[0].hosts[0]: Invalid value: "*": ${wildcard}`,
      ],
    ],
    ["without paths", paths(), ["spec.rules[0].http.paths: Required value"]],
    [
      "with paths that leave their prefix",
      paths(
        aPath("/a/../b//c"),
        aPath("a/.."),
        aPath("x", "ImplementationSpecific"),
        aPath("/", "Odd"),
        aPath("/", ""),
      ),
      [
        `${path}.path: Invalid value: "/a/../b//c": must not contain '//'`,
        `${path}.path: Invalid value: "/a/../b//c": must not contain '/../'`,
        'spec.rules[0].http.paths[1].path: Invalid value: "a/..": must be an absolute path',
        "spec.rules[0].http.paths[1].path: Invalid value: \"a/..\": cannot end with '/..'",
        'spec.rules[0].http.paths[2].path: Invalid value: "x": must be an absolute path',
        'spec.rules[0].http.paths[3].pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"',
        "spec.rules[0].http.paths[4].pathType: Required value: pathType must be specified",
      ],
    ],
    [
      "with a backend of two kinds",
      { defaultBackend: { ...service(), resource: { kind: "Bucket", name: "b" } } },
      [`${backend}: Invalid value: "": cannot set both resource and service backends`],
    ],
    [
      "without a backend",
      { defaultBackend: {} },
      [`${backend}: Invalid value: "": resource or service backend is required`],
    ],
    [
      "with a nameless resource",
      { defaultBackend: { resource: { apiGroup: "example.com" } } },
      [
        `${backend}.resource.kind: Required value: kind is required`,
        `${backend}.resource.name: Required value: name is required`,
      ],
    ],
    [
      "with a port of a name and a number",
      { defaultBackend: service({ name: "a", number: 1 }) },
      [`${backend}: Invalid value: "": cannot set both port name & port number`],
    ],
    [
      "without a port",
      { defaultBackend: service({}) },
      [`${backend}: Required value: port name or number is required`],
    ],
    [
      "with an invalid port and no name",
      { defaultBackend: service({ number: 70_000 }, "") },
      [
        `${backend}.service.name: Required value`,
        `${backend}.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive`,
      ],
    ],
  ])("%s", (_name, spec, faults) => {
    expect(faultsOf(ingressKind, { spec })).toEqual(faults);
  });

  test("names one class, in the field or in the annotation", () => {
    const metadata = { annotations: { "kubernetes.io/ingress.class": "a" } };
    const spec = { defaultBackend: service(), ingressClassName: "b" };
    expect(faultsOf(ingressKind, { metadata, spec })).toEqual([
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ]);
    expect(faultsOf(ingressKind, { metadata, spec: { ...spec, ingressClassName: "a" } })).toEqual([]);
  });
});

test("an Ingress shows its class, hosts, addresses and ports", () => {
  const rules = ["a", "b", "", "c", "d"].map((host) => ({ host }));
  const status = { loadBalancer: { ingress: [{ hostname: "lb" }, { ip: "10.0.0.2" }, { ip: "10.0.0.2" }] } };
  const full = anObject(ingressKind, { spec: { ingressClassName: "n", rules, tls: [{}] }, status });
  expect(ingressKind.table?.cells(full, 0)).toEqual([
    "x",
    "n",
    "a,b,c + 1 more...",
    "10.0.0.2,lb",
    "80, 443",
    "<unknown>",
  ]);
  const bare = anObject(ingressKind, { spec: { defaultBackend: service() } });
  expect(ingressKind.table?.cells(bare, 0)).toEqual(["x", "<none>", "*", "", "80", "<unknown>"]);
});

describe("a new IngressClass", () => {
  const parameters = { kind: "Config", name: "c" };
  test.each<[string, object, string[]]>([
    ["of a controller", { controller: "example.com/a/b", parameters }, []],
    ["without a backend", {}, ["spec.controller: Required value"]],
    [
      "with invalid words",
      { controller: "nginx", parameters: { ...parameters, scope: "World" } },
      [
        'spec.controller: Invalid value: "nginx": must be a domain-prefixed path (such as "acme.io/foo")',
        'spec.parameters.scope: Unsupported value: "World": supported values: "Cluster", "Namespace"',
      ],
    ],
    [
      "with cluster-scoped parameters in a namespace",
      { controller: "a/b", parameters: { ...parameters, namespace: "n" } },
      ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
    [
      "with namespaced parameters without a namespace",
      { controller: "a/b", parameters: { ...parameters, scope: "Namespace" } },
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
  ])("%s", (_name, spec, faults) => {
    expect(faultsOf(ingressClassKind, { spec })).toEqual(faults);
  });

  test("keeps its controller", () => {
    const [before, after] = ["a/b", "a/c"].map((controller) =>
      anObject(ingressClassKind, { metadata: { resourceVersion: "1" }, spec: { controller } }),
    );
    expect(validateUpdate(ingressClassKind, { before: before!, after: after! })).toMatchObject([
      { field: "spec.controller", message: 'Invalid value: "a/c": field is immutable' },
    ]);
  });
});

describe("a new NetworkPolicy", () => {
  const ports = (...list: object[]) => ({ ingress: [{ ports: list }] });
  const peers = (...list: object[]) => ({ egress: [{ to: list }] });
  const block = (range: string, ...except: string[]) => ({ ipBlock: { cidr: range, except } });
  test.each<[string, object, string[]]>([
    ["of everything", { ...ports({ port: 1, endPort: 2 }), ...peers({ podSelector: {}, namespaceSelector: {} }) }, []],
    ["of blocks", peers(block("10.0.0.0/8", "10.1.0.0/16"), block("2001:db8::/32", "2001:db8:1::/48")), []],
    [
      "with invalid ports",
      ports({ protocol: "ICMP" }, { endPort: 2 }, { port: 3, endPort: 2 }, { port: "http", endPort: 9 }, { port: 0 }),
      [
        'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        "spec.ingress[0].ports[1].endPort: Invalid value: 2: may not be specified when `port` is not specified",
        "spec.ingress[0].ports[2].endPort: Invalid value: 3: must be greater than or equal to `port`",
        "spec.ingress[0].ports[3].endPort: Invalid value: 9: may not be specified when `port` is non-numeric",
        "spec.ingress[0].ports[4].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      ],
    ],
    [
      "with invalid peers",
      peers({}, { podSelector: {}, ...block("10.0.0.0/8") }),
      [
        "spec.egress[0].to[0]: Required value: must specify a peer",
        "spec.egress[0].to[1]: Forbidden: may not specify both ipBlock and another peer",
      ],
    ],
    [
      "with invalid blocks",
      peers(block(""), block("10.0.0.1"), block("10.0.0.0/8", "11.0.0.0/16", "10.0.0.0/8", "2001:db8::/32")),
      [
        "spec.egress[0].to[0].ipBlock.cidr: Required value",
        `spec.egress[0].to[1].ipBlock.cidr: Invalid value: "10.0.0.1": ${cidr}`,
        'spec.egress[0].to[2].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
        'spec.egress[0].to[2].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
        'spec.egress[0].to[2].ipBlock.except[2]: Invalid value: "2001:db8::/32": must be a strict subset of `cidr`',
      ],
    ],
    [
      "of invalid types",
      { policyTypes: ["Transit"] },
      ['spec.policyTypes[0]: Unsupported value: "Transit": supported values: "Egress", "Ingress"'],
    ],
    [
      "of too many types",
      { policyTypes: ["Ingress", "Egress", "Ingress"] },
      ['spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes'],
    ],
  ])("%s", (_name, spec, faults) => {
    expect(faultsOf(networkPolicyKind, { spec })).toEqual(faults);
  });

  test("covers incoming traffic, and outgoing traffic if it has rules for it", () => {
    const typesOf = (spec: object) => anObject(networkPolicyKind, { spec }).spec?.policyTypes;
    expect(typesOf({})).toEqual(["Ingress"]);
    expect(typesOf({ egress: [{}] })).toEqual(["Ingress", "Egress"]);
    expect(typesOf({ policyTypes: ["Egress"] })).toEqual(["Egress"]);
    expect(anObject(networkPolicyKind, { spec: ports({ port: 1 }) }).spec?.ingress?.[0]?.ports?.[0]?.protocol).toBe(
      "TCP",
    );
  });
});
