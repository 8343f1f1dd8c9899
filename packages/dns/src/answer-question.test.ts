import { expect, test } from "vitest";
import { type Answer, answerQuestion } from "./answer-question.ts";
import { aService, aSlice, directoryOf } from "./testing/directory-of.ts";

const zone = { domain: "cluster.local", ttlSeconds: 5, servers: ["10.64.0.11"] };

const directory = directoryOf(
  [
    aService("web", {
      clusterIP: "10.96.3.4",
      ports: [
        { name: "http", port: 80, protocol: "TCP", targetPort: 8080 },
        { name: "http", port: 80, protocol: "UDP" },
        { name: "admin", port: 9000, protocol: "TCP" },
      ],
    }),
    aService("plain", { clusterIP: "10.96.3.5", ports: [{ port: 80, protocol: "TCP" }] }),
    aService("db", { clusterIP: "None", ports: [{ name: "sql", port: 5432, protocol: "TCP" }] }),
    aService("empty", { clusterIP: "None" }),
    aService("outside", { type: "ExternalName", externalName: "www.example.com." }),
  ],
  [
    aSlice("web", [{ address: "10.64.1.9" }]),
    aSlice("db", [
      { address: "10.64.1.2", hostname: "db-0", ready: true },
      { address: "10.64.1.3" },
      { address: "10.64.1.4", hostname: "db-2", ready: false },
    ]),
    aSlice("empty", [{ address: "10.64.1.5", ready: false }]),
  ],
);

/**
 * Writes an answer in lines: "A 10.96.3.4", "SRV 80 web…", "none", "no such name", "elsewhere",
 * "see NAME".
 */
function shown(answer: Answer): string[] {
  if (answer.kind === "elsewhere") return ["elsewhere"];
  if (answer.kind === "alias") return [`see ${answer.target}`];
  if (answer.kind === "nothing") return [answer.exists ? "none" : "no such name"];
  return [...answer.records, ...answer.additionals].map((record) => {
    if (record.type === "SRV") return `SRV ${record.data.weight} ${record.data.port} ${record.data.target}`;
    if (record.type === "SOA") return "SOA";
    return `${record.type} ${String(record.data)}`;
  });
}

const ask = (name: string, type = "A") => shown(answerQuestion({ name, type }, directory, zone));

test.each<[string, string, string[]]>([
  ["web.shop.svc.cluster.local", "A", ["A 10.96.3.4"]],
  ["WEB.Shop.svc.cluster.LOCAL", "A", ["A 10.96.3.4"]],
  ["db.shop.svc.cluster.local", "A", ["A 10.64.1.2", "A 10.64.1.3"]],
  ["db-0.db.shop.svc.cluster.local", "A", ["A 10.64.1.2"]],
  ["10-64-1-3.db.shop.svc.cluster.local", "A", ["A 10.64.1.3"]],
  ["db-2.db.shop.svc.cluster.local", "A", ["no such name"]],
  ["outside.shop.svc.cluster.local", "A", ["see www.example.com"]],
  ["10-64-7-8.shop.pod.cluster.local", "A", ["A 10.64.7.8"]],
  ["10-64-7.shop.pod.cluster.local", "A", ["no such name"]],
  ["dns-version.cluster.local", "TXT", ["TXT 1.1.0"]],
  ["cluster.local", "NS", ["NS ns.dns.cluster.local"]],
  ["cluster.local", "SOA", ["SOA"]],
  ["ns.dns.cluster.local", "A", ["A 10.64.0.11"]],
  ["kube-dns.kube-system.svc.cluster.local", "A", ["A 10.64.0.11"]],
])("%s %s", (name, type, expected) => {
  expect(ask(name, type)).toEqual(expected);
});

test("named ports are found by their names, both at a Service's address and at each endpoint's address", () => {
  expect(ask("_http._tcp.web.shop.svc.cluster.local", "SRV")).toEqual([
    "SRV 100 80 web.shop.svc.cluster.local",
    "A 10.96.3.4",
  ]);
  expect(ask("_sql._tcp.db.shop.svc.cluster.local", "SRV")).toEqual([
    "SRV 50 5432 db-0.db.shop.svc.cluster.local",
    "SRV 50 5432 10-64-1-3.db.shop.svc.cluster.local",
    "A 10.64.1.2",
    "A 10.64.1.3",
  ]);
  // A name without port and protocol has all ports and protocols.
  expect(ask("web.shop.svc.cluster.local", "SRV").filter((line) => line.startsWith("SRV"))).toHaveLength(3);
  expect(ask("_sql._udp.db.shop.svc.cluster.local", "SRV")).toEqual(["no such name"]);
  expect(ask("_._tcp.plain.shop.svc.cluster.local", "SRV")).toEqual(["none"]);
});

test("an endpoint in two slices is a single endpoint with the ports of both", () => {
  const twice = directoryOf(
    [aService("db", { clusterIP: "None" })],
    [
      aSlice("db", [{ address: "10.64.1.2" }]),
      aSlice("db", [{ address: "10.64.1.2" }], { name: "db-b", ports: [{ name: "web", port: 80, protocol: "TCP" }] }),
    ],
  );
  const asked = (name: string, type: string) => shown(answerQuestion({ name, type }, twice, zone));
  expect(asked("db.shop.svc.cluster.local", "A")).toEqual(["A 10.64.1.2"]);
  expect(asked("_web._tcp.db.shop.svc.cluster.local", "SRV")[0]).toBe("SRV 100 80 10-64-1-2.db.shop.svc.cluster.local");
});

test("an existing Service kube-dns has its own address", () => {
  const own = aService("kube-dns", { clusterIP: "10.96.0.10" });
  const services = [{ ...own, metadata: { ...own.metadata, namespace: "kube-system" } }];
  const question = { name: "kube-dns.kube-system.svc.cluster.local", type: "A" };
  expect(shown(answerQuestion(question, directoryOf(services), zone))).toEqual(["A 10.96.0.10"]);
});

test.each<[string, string]>([
  ["an AAAA of a Service, which musl queries together with the A", "web.shop.svc.cluster.local"],
  ["a headless Service", "db.shop.svc.cluster.local"],
  ["its endpoint", "db-0.db.shop.svc.cluster.local"],
  ["the parent names", "shop.svc.cluster.local"],
  ["and those", "svc.cluster.local"],
  ["the parent name of the name server", "ns.dns.cluster.local"],
  ["a protocol of a Service", "_tcp.web.shop.svc.cluster.local"],
])("a name that exists but has no such record is not denied: %s", (_, name) => {
  expect(ask(name, "AAAA")).toEqual(["none"]);
});

test("a headless Service without ready endpoints exists and has no address", () => {
  expect(ask("empty.shop.svc.cluster.local")).toEqual(["none"]);
});

test.each([
  "nope.shop.svc.cluster.local",
  "web.other.svc.cluster.local",
  "other.svc.cluster.local",
  "nope.web.shop.svc.cluster.local",
  "_http._sctp.web.shop.svc.cluster.local",
  "a._http._tcp.web.shop.svc.cluster.local",
  "example.com.shop.svc.cluster.local",
  "example.com.cluster.local",
  "x.outside.shop.svc.cluster.local",
  "x.kube-dns.kube-system.svc.cluster.local",
  "x.ns.dns.cluster.local",
  ".svc.cluster.local",
])("%s does not exist", (name) => {
  expect(ask(name)).toEqual(["no such name"]);
});

test("names outside the domain are forwarded", () => {
  expect(ask("example.com")).toEqual(["elsewhere"]);
  expect(ask("mycluster.local")).toEqual(["elsewhere"]);
  expect(ask("")).toEqual(["elsewhere"]);
});

test("addresses of Services and endpoints have names, and other addresses are forwarded", () => {
  expect(ask("4.3.96.10.in-addr.arpa", "PTR")).toEqual(["PTR web.shop.svc.cluster.local"]);
  expect(ask("2.1.64.10.in-addr.arpa", "PTR")).toEqual(["PTR db-0.db.shop.svc.cluster.local"]);
  expect(ask("9.1.64.10.in-addr.arpa", "PTR")).toEqual(["PTR 10-64-1-9.web.shop.svc.cluster.local"]);
  expect(ask("4.1.64.10.in-addr.arpa", "PTR")).toEqual(["elsewhere"]);
  expect(ask("8.8.8.8.in-addr.arpa", "PTR")).toEqual(["elsewhere"]);
  expect(ask("4.3.96.10.in-addr.arpa", "A")).toEqual(["none"]);
});
