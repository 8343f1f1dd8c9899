import { expect, test } from "vitest";
import { leadElsewhere, staleFlows } from "./stale-flows.ts";
import { proxiedNode, registeredNode } from "../testing/proxied-node.ts";
import { aService, aSlice, anEndpoint } from "../testing/service-builders.ts";

const flow = (to: string, endpoint: string, state = "[UNREPLIED] ") => {
  const [[address, port], [endpointAddress, endpointPort]] = [to.split(":"), endpoint.split(":")];
  return `udp      17 28 src=10.1.0.9 dst=${address} sport=40000 dport=${port} ${state}src=${endpointAddress} dst=10.1.0.9 sport=${endpointPort} dport=40000 mark=0 use=1`;
};
const destinations = new Map([
  ["10.96.0.10:53", new Set(["10.1.0.1:5353"])],
  ["10.96.0.11:53", new Set<string>()],
]);

test.each([
  ["a removed endpoint", flow("10.96.0.10:53", "10.1.0.2:5353"), true],
  [
    "a removed endpoint that answered",
    flow("10.96.0.10:53", "10.1.0.2:5353", "").replace("mark", "[ASSURED] mark"),
    true,
  ],
  ["no endpoint, from before the rule existed", flow("10.96.0.10:53", "10.96.0.10:53"), true],
  ["a Service without endpoints", flow("10.96.0.11:53", "10.1.0.1:5353"), true],
  ["an endpoint that exists", flow("10.96.0.10:53", "10.1.0.1:5353"), false],
  ["another port of the address that belongs to no Service", flow("10.96.0.10:54", "10.96.0.10:54"), false],
  ["no Service", flow("192.0.2.1:53", "192.0.2.1:53"), false],
])("a flow to %s", (_, text, isStale) => {
  const from = { address: "10.1.0.9", port: "40000" };
  const [address = "", port = ""] = (/dst=(\S+) sport=\d+ dport=(\d+)/.exec(text) ?? []).slice(1);
  expect(staleFlows(`${text}\n`, destinations)).toEqual(isStale ? [{ from, to: { address, port } }] : []);
});

test("added endpoints require no listing", () => {
  const [one, two] = [new Map([["a", new Set(["x"])]]), new Map([["a", new Set(["x", "y"])]])];
  expect(leadElsewhere(one, two)).toBe(false);
  expect(leadElsewhere(two, one)).toBe(true);
  expect(leadElsewhere(undefined, one)).toBe(true);
  expect(leadElsewhere(one, new Map())).toBe(false);
  expect(leadElsewhere(undefined, new Map())).toBe(false);
});

test("UDP flows in the kernel are deleted when their endpoint is removed, but not when an endpoint is added", async () => {
  const world = proxiedNode();
  world.put("nodes", registeredNode());
  const dns = {
    type: "NodePort" as const,
    ports: [{ name: "dns", port: 53, protocol: "UDP" as const, nodePort: 30053 }],
  };
  const put = (...texts: string[]) =>
    world.put(
      "endpointslices",
      aSlice(texts.map(anEndpoint), { ports: [{ name: "dns", port: 5353, protocol: "UDP" }] }),
    );
  world.put("services", aService(dns));
  put("10.1.0.1");
  await world.start();
  expect(world.forgotten).toEqual([
    new Map([
      ["10.96.0.10:53", new Set(["10.1.0.1:5353"])],
      ["192.0.2.1:30053", new Set(["10.1.0.1:5353"])],
    ]),
  ]);
  put("10.1.0.1", "10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.forgotten).toHaveLength(1);
  put("10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.forgotten[1]?.get("10.96.0.10:53")).toEqual(new Set(["10.1.0.2:5353"]));
});
