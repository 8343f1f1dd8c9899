import { generateKeyPairSync } from "node:crypto";
import type { EndpointSlice, Ingress, Secret, Service } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { aClass, anIngress, aRule, aService, aSlice, toService } from "../testing/builders.ts";
import { checkCertificate } from "./check-certificate.ts";
import { ownedIngresses } from "./owned-ingresses.ts";
import { planRoutes } from "./plan-routes.ts";

interface Given {
  ingresses: Ingress[];
  services?: Service[];
  slices?: EndpointSlice[];
  secrets?: Secret[];
}

function plan({ ingresses, services = [], slices = [], secrets = [] }: Given, check = checkCertificate) {
  return planRoutes({
    ingresses,
    findService: (namespace, name) =>
      services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    slicesOf: (_namespace, name) =>
      slices.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name),
    findSecret: (_namespace, name) => secrets.find(({ metadata }) => metadata.name === name),
    checkCertificate: check,
  });
}

test("an Ingress belongs to the controller of its class, and an Ingress without a class does not belong to a controller", () => {
  const classes = [aClass(), aClass("other", "example.com/other")];
  const given = [
    anIngress("ours", {}),
    anIngress("other", { ingressClassName: "other" }),
    anIngress("unknown", { ingressClassName: "unknown" }),
    anIngress("none", { ingressClassName: undefined }),
    anIngress(
      "annotated",
      { ingressClassName: undefined },
      { annotations: { "kubernetes.io/ingress.class": "kintsugi" } },
    ),
    anIngress("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" }),
  ];
  const names = ownedIngresses(given, classes).map(({ metadata }) => metadata.name);
  expect(names).toEqual(["older", "annotated", "ours"]);
});

test("routes lead only to the ready endpoints of the Service's port", () => {
  const { plan: routes, problems } = plan({
    ingresses: [anIngress("web", { rules: [aRule("A.example", { "/": "web:http", "=/one": "web:80" })] })],
    services: [aService("web")],
    slices: [aSlice("web", { "10.0.0.2": true, "10.0.0.3": false, "10.0.0.1": true, "127.0.0.1": true })],
  });
  expect(problems).toEqual([]);
  expect(routes.backends).toEqual([
    {
      name: "shop:web:80",
      servers: [
        { address: "10.0.0.1", port: 8080 },
        { address: "10.0.0.2", port: 8080 },
      ],
    },
  ]);
  expect(routes.tables).toEqual([
    {
      host: "a.example",
      exact: new Map([["/one", "shop:web:80"]]),
      prefixes: new Map([["/", "shop:web:80"]]),
      otherwise: undefined,
    },
  ]);
});

test.each([
  ["a missing Service", aRule("a", { "/": "gone:80" }), "ServiceNotFound", /"gone" does not exist/],
  ["a missing port", aRule("a", { "/": "web:81" }), "PortNotFound", /no port 81/],
  ["a missing named port", aRule("a", { "/": "web:grpc" }), "PortNotFound", /no port "grpc"/],
  ["an external name", aRule("a", { "/": "outside:80" }), "UnsupportedBackend", /ExternalName/],
  ["a UDP port", aRule("a", { "/": "dns:80" }), "UnsupportedBackend", /UDP, not TCP/],
])("%s gets 503 and a reason, and no other backend", (_what, rule, reason, message) => {
  const { plan: routes, problems } = plan({
    ingresses: [anIngress("web", { rules: [rule], defaultBackend: toService("web:80") })],
    services: [
      aService("web"),
      aService("outside", { type: "ExternalName", externalName: "a.example" }),
      aService("dns", { ports: [{ name: "dns", port: 80, protocol: "UDP" }] }),
    ],
  });
  expect(problems).toMatchObject([
    { ingress: "web", namespace: "shop", reason, message: expect.stringMatching(message) as string },
  ]);
  expect(routes.tables[0]?.prefixes.get("/")).toBe("unavailable");
  expect(routes.backends).toContainEqual({ name: "unavailable", servers: [] });
});

test("of two Ingresses the first gets a path, and the second gets an event about it", () => {
  const { plan: routes, problems } = plan({
    ingresses: [
      anIngress("first", { rules: [aRule("a", { "/shop": "one:80" })] }),
      anIngress("second", { rules: [aRule("a", { "/shop/": "two:80", "=/shop": "two:80", "/other": "two:80" })] }),
    ],
    services: [aService("one"), aService("two")],
  });
  expect(routes.tables[0]?.prefixes).toEqual(
    new Map([
      ["/shop/", "shop:one:80"],
      ["/other/", "shop:two:80"],
    ]),
  );
  expect(routes.tables[0]?.exact.get("/shop")).toBe("shop:two:80");
  expect(problems).toMatchObject([{ ingress: "second", reason: "PathTaken" }]);
});

test("a default backend serves the hosts of its own rules, and all hosts without rules", () => {
  const { plan: routes } = plan({
    ingresses: [
      anIngress("ruled", {
        rules: [aRule("a", { "/x": "one:80" }), { host: "b" }],
        defaultBackend: toService("two:80"),
      }),
      anIngress("all", { defaultBackend: toService("one:80") }),
      anIngress("late", { defaultBackend: toService("two:80") }),
    ],
    services: [aService("one"), aService("two")],
  });
  expect(routes.tables.map(({ host, otherwise }) => [host, otherwise])).toEqual([
    ["a", "shop:two:80"],
    ["b", "shop:two:80"],
  ]);
  expect(routes.defaultBackend).toBe("shop:one:80");
});

test("characters that clients always escape cannot end a word or a line", () => {
  const { plan: routes } = plan({
    ingresses: [anIngress("odd", { rules: [aRule("a", { "/a b\nc é\ud800": "one:80", "=/x #y": "one:80" })] })],
    services: [aService("one")],
  });
  expect([...(routes.tables[0]?.prefixes.keys() ?? [])]).toEqual(["/a%20b%0Ac%20%C3%A9%EF%BF%BD/"]);
  expect([...(routes.tables[0]?.exact.keys() ?? [])]).toEqual(["/x%20%23y"]);
});

async function aCertificate(name: string, changes: Record<string, string> = {}): Promise<Secret> {
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "test");
  const { certificate, key } = await authority.issue({ commonName: name, usages: ["server"], dnsNames: [name] });
  const data = { "tls.crt": certificate, "tls.key": key, ...changes };
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name, namespace: "shop" },
    data: Object.fromEntries(Object.entries(data).map(([at, text]) => [at, Buffer.from(text).toString("base64")])),
  };
}

test("a host's certificate is the older Ingress's certificate, and names inside the certificate do not count", async () => {
  const { plan: routes, problems } = plan({
    ingresses: [
      anIngress("one", { tls: [{ hosts: ["a.example"], secretName: "a.example" }] }),
      anIngress("two", { tls: [{ secretName: "other" }], rules: [aRule("A.example", {}), aRule("*.b.example", {})] }),
      anIngress("three", { tls: [{ secretName: "all" }] }),
      anIngress("four", { tls: [{ hosts: ["c.example"] }] }),
    ],
    secrets: [await aCertificate("a.example"), await aCertificate("other"), await aCertificate("all")],
  });
  expect(routes.certificates.map(({ name, hosts }) => [name, hosts])).toEqual([
    ["shop/a.example", ["a.example"]],
    ["shop/all", [""]],
    ["shop/other", ["*.b.example"]],
  ]);
  expect(problems).toMatchObject([{ ingress: "two", reason: "HostTaken" }]);
});

/** An Ingress with `count` paths in a namespace; a lower number means an older Ingress. */
const withPaths = (namespace: string, number: number, count: number) =>
  anIngress(
    `${namespace}-${number}`,
    { rules: [aRule(`${namespace}-${number}.example`, Object.fromEntries(paths(count)))] },
    { namespace, creationTimestamp: `2026-01-01T00:00:${String(number).padStart(2, "0")}Z` },
  );
const paths = (count: number) => Array.from({ length: count }, (_, i) => [`=/${i}`, "web:80"] as const);

test("a namespace with few routes is always served, and the namespace with the most loses its newest first", () => {
  const greedy = Array.from({ length: 24 }, (_, i) => withPaths("greedy", i, 900));
  const ingresses = [...greedy, withPaths("modest", 30, 500), withPaths("small", 31, 1)];
  const { plan: routes, problems } = plan({ ingresses });
  const served = (prefix: string) =>
    routes.tables.filter(({ host }) => host.startsWith(prefix)).reduce((sum, { exact }) => sum + exact.size, 0);
  expect([served("greedy-"), served("modest-"), served("small-")]).toEqual([20_000 - 501, 500, 1]);
  const cut = problems.filter(({ reason }) => reason === "TooManyPaths");
  expect(cut.map(({ ingress }) => ingress)).toEqual(["greedy-21", "greedy-22", "greedy-23"]);
  expect(cut[0]?.message).toBe(
    "this controller serves 20000 paths, of which 19499 are for the namespace greedy, and older Ingresses use this share",
  );
});

test("hosts without paths also count as routes", () => {
  const rules = Array.from({ length: 25_000 }, (_, i) => ({ host: `h${i}.example` }));
  const { plan: routes, problems } = plan({
    ingresses: [anIngress("hosts", { rules, defaultBackend: toService("web:80") }), withPaths("other", 1, 3)],
  });
  expect(routes.tables).toHaveLength(19_997 + 1);
  expect(problems.filter(({ reason }) => reason === "TooManyPaths").map(({ ingress }) => ingress)).toEqual(["hosts"]);
});

test("a namespace's certificates do not displace other namespaces' certificates", async () => {
  const certificate = await aCertificate("a");
  const { data } = certificate;
  const tls = Array.from({ length: 2_100 }, (_, i) => ({ hosts: [`h${i}.example`], secretName: `s${i}` }));
  const secrets = tls.map(({ secretName }) => ({
    ...certificate,
    metadata: { name: secretName, namespace: "shop" },
    data,
  }));
  const other = anIngress("other", { tls: [{ hosts: ["other"], secretName: "s0" }] }, { namespace: "other" });
  const checked = { ingresses: [anIngress("many", { tls }), other], secrets };
  const { plan: routes, problems } = plan(checked, () => ({ pem: "" }));
  expect(routes.certificates).toHaveLength(2_000);
  expect(routes.certificates.some(({ name }) => name === "other/s0")).toBe(true);
  expect(problems.map(({ ingress, reason }) => `${ingress} ${reason}`)).toEqual(["many TooManyCertificates"]);
});

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const otherKey = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

test.each<[string, Record<string, string>, RegExp]>([
  ["without a key", { "tls.key": "" }, /lacks tls.crt or tls.key/],
  ["with text instead of a certificate", { "tls.crt": "hello" }, /has to hold certificates/],
  ["with a key of another certificate", { "tls.key": otherKey }, /mismatch/],
  ["with two keys", { "tls.key": `${otherKey}${otherKey}` }, /one private key/],
])("a Secret %s is not served, and the rest is", async (_what, changes, message) => {
  const { plan: routes, problems } = plan({
    ingresses: [
      anIngress("bad", { tls: [{ hosts: ["bad"], secretName: "bad" }] }),
      anIngress("good", { tls: [{ hosts: ["good"], secretName: "good" }] }),
      anIngress("gone", { tls: [{ hosts: ["gone"], secretName: "gone" }] }),
    ],
    secrets: [await aCertificate("bad", changes), await aCertificate("good")],
  });
  expect(routes.certificates.map(({ name }) => name)).toEqual(["shop/good"]);
  expect(problems).toMatchObject([
    { ingress: "bad", reason: "InvalidCertificate", message: expect.stringMatching(message) as string },
    { ingress: "gone", message: expect.stringMatching(/no such Secret of type kubernetes.io\/tls/) as string },
  ]);
});
