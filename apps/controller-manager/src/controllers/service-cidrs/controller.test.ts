import { formatTimestamp, type IPAddress, type ServiceCIDR } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { serviceCidrsController } from "./controller.ts";

const finalizer = "networking.k8s.io/service-cidr-finalizer";

function aRange(name: string, cidr: string, metadata: ServiceCIDR["metadata"] = {}): ServiceCIDR {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name, uid: `uid-of-${name}`, ...metadata },
    spec: { cidrs: [cidr] },
  };
}

function anAddress(name: string, managedBy = "ipallocator.k8s.io"): IPAddress {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: { name, uid: `uid-of-${name}`, labels: { "ipaddress.kubernetes.io/managed-by": managedBy } },
    spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
  };
}

/** A range that has been in deletion since the start. */
function going(cluster: ControllerTestCluster): ServiceCIDR["metadata"] {
  return { deletionTimestamp: formatTimestamp(cluster.clock.nowMs()), finalizers: ["a.b/c", finalizer] };
}

const read = (cluster: ControllerTestCluster, name: string) => cluster.find<ServiceCIDR>("servicecidrs", name, "");

async function startWith(prepare: (cluster: ControllerTestCluster) => void): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  prepare(cluster);
  await cluster.start(serviceCidrsController);
  await cluster.clock.settle();
  return cluster;
}

test("a new range gets the finalizer and is ready", async () => {
  const cluster = await startWith((it) => it.put("servicecidrs", aRange("a", "10.97.0.0/24")));
  expect(read(cluster, "a")).toMatchObject({
    metadata: { finalizers: [finalizer] },
    status: { conditions: [{ type: "Ready", status: "True", message: "Kubernetes Service CIDR is ready" }] },
  });
});

describe("a range that is being deleted", () => {
  test("is not ready and remains while a Service has an address of it", async () => {
    const cluster = await startWith((it) => {
      it.put("servicecidrs", aRange("a", "10.97.0.0/24", going(it)));
      it.put("ipaddresses", anAddress("10.97.0.7"));
    });
    await cluster.clock.advance(60_000);
    expect(read(cluster, "a")).toMatchObject({
      metadata: { finalizers: ["a.b/c", finalizer] },
      status: { conditions: [{ type: "Ready", status: "False", reason: "Terminating" }] },
    });
    cluster.remove("ipaddresses", cluster.find<IPAddress>("ipaddresses", "10.97.0.7", "")!);
    await cluster.clock.settle();
    expect(read(cluster, "a")?.metadata.finalizers).toEqual(["a.b/c"]);
  });

  test("is removed ten seconds after its deletion, and not earlier, if no Service has an address of it", async () => {
    const cluster = await startWith((it) => {
      it.put("servicecidrs", aRange("a", "10.97.0.0/24", going(it)));
      it.put("ipaddresses", anAddress("10.98.0.7"));
    });
    await cluster.clock.advance(8_900);
    expect(read(cluster, "a")?.metadata.finalizers).toContain(finalizer);
    await cluster.clock.advance(1_200);
    expect(read(cluster, "a")?.metadata.finalizers).toEqual(["a.b/c"]);
  });

  test.each<[string, (cluster: ControllerTestCluster) => void]>([
    ["a wider range contains it", (it) => it.put("servicecidrs", aRange("wide", "10.97.0.0/16"))],
    ["another range has the address", (it) => it.put("servicecidrs", aRange("part", "10.97.0.0/28"))],
  ])("is removed although a Service has an address of it when %s", async (_name, comes) => {
    const cluster = await startWith((it) => {
      it.put("servicecidrs", aRange("a", "10.97.0.0/24", going(it)));
      it.put("ipaddresses", anAddress("10.97.0.7"));
    });
    await cluster.clock.advance(20_000);
    expect(read(cluster, "a")?.metadata.finalizers).toContain(finalizer);
    comes(cluster);
    await cluster.clock.settle();
    expect(read(cluster, "a")?.metadata.finalizers).toEqual(["a.b/c"]);
  });

  test("does not wait for addresses that objects other than Services use", async () => {
    const cluster = await startWith((it) => {
      it.put("servicecidrs", aRange("a", "10.97.0.0/24", going(it)));
      it.put("ipaddresses", anAddress("10.97.0.7", "gateways.example.com"));
    });
    await cluster.clock.advance(11_000);
    expect(read(cluster, "a")?.metadata.finalizers).toEqual(["a.b/c"]);
  });
});
