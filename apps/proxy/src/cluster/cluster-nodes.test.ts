import { expect, test } from "vitest";
import { proxiedNode, registeredNode } from "../testing/proxied-node.ts";
import { aService, slice } from "../testing/service-builders.ts";

test("Nodes are watched while a Service has an external address, and none of their addresses is routed to another place", async () => {
  const world = proxiedNode();
  const external = (...externalIPs: string[]) => aService({ externalIPs });
  const other = (address: string) => ({
    ...registeredNode(),
    metadata: { name: "node-2" },
    status: { addresses: [{ type: "InternalIP", address }] },
  });
  world.put("nodes", registeredNode());
  world.put("nodes", other("192.0.2.2"));
  world.put("endpointslices", slice("10.1.0.1"));
  world.put("services", external("198.51.100.7", "192.0.2.1", "192.0.2.2", "192.0.2.9"));
  await world.start();
  await world.clock.advance(200);
  const led = () =>
    ["198.51.100.7", "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.9"].filter((address) =>
      world.nft.elements("service-ips").some((element) => element.startsWith(`${address} . tcp . 80 : `)),
    );
  expect(led()).toEqual(["198.51.100.7"]);

  world.put("services", external("198.51.100.7", "192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["198.51.100.7", "192.0.2.3"]);
  world.put("nodes", other("192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["198.51.100.7"]);

  world.put("services", aService());
  await world.clock.advance(200);
  expect(led()).toEqual([]);
  world.put("services", external("192.0.2.2", "192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["192.0.2.2"]);
});

test("a proxy that may read only its own Node uses the addresses of that Node only", async () => {
  const world = proxiedNode({ guardsAllNodes: false });
  world.put("nodes", registeredNode());
  world.put("services", aService({ externalIPs: ["198.51.100.7", "192.0.2.1"] }));
  world.put("endpointslices", slice("10.1.0.1"));
  await world.start();
  const external = world.nft.elements("service-ips").map((element) => element.split(" ")[0]);
  expect(external).toEqual(["10.96.0.10", "198.51.100.7"]);
});
