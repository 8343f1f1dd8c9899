import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCloudClient, type LoadBalancer, writeCloudFaults } from "@kintsugi/cloud";
import { aGroup, FakeMachines } from "@kintsugi/cloud/simulated";
import { describeCloudContract } from "@kintsugi/cloud/testing/contract";
import type { SupervisorStatus } from "@kintsugi/lab";
import { expect, onTestFinished, test, vi } from "vitest";
import { machinesIn, shapeArgs } from "./host/lab-machines.ts";
import { CloudRecordFile } from "./host/record-file.ts";
import { runLabCloud } from "./lab-cloud.ts";

/** A cloud on its socket, with machines in a table; it can be ended and started again. */
async function startCloud({ settleIntervalMs = 10 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "cloud-lab-"));
  const socket = join(directory, "cloud.sock");
  const host = new FakeMachines();
  host.add("node-1");
  const served: { balancers: readonly LoadBalancer[] } = { balancers: [] };
  const client = createCloudClient({ socket, callTimeoutMs: 2_000 });
  const start = async () => {
    const stop = new AbortController();
    const running = runLabCloud(
      {
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        host,
        file: new CloudRecordFile(directory),
        routes: { apply: async () => {} },
        balancers: { apply: async (wanted) => void (served.balancers = wanted) },
      },
      {
        clusterName: "c",
        socket,
        addresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
        firstGroups: [aGroup("pool")],
        settleIntervalMs,
      },
      stop.signal,
    );
    for (let tries = 0; tries < 500; tries++) {
      if ((await client.listInstances({}).catch(() => undefined)) !== undefined) break;
      await systemClock.sleep(5);
    }
    return async () => {
      stop.abort();
      await running;
    };
  };
  const end = await start();
  const settle = () => systemClock.sleep(100);
  return {
    directory,
    socket,
    host,
    client,
    served,
    start,
    end,
    settle,
    remove: () => rm(directory, { recursive: true }),
  };
}

describeCloudContract("the lab's cloud", async () => {
  const { client, settle, end, remove } = await startCloud();
  const close = async () => {
    await end();
    await remove();
  };
  return { cloud: client, machine: "node-1", group: "pool", settle, close };
});

test("a killed cloud has its balancers, machines and injected faults when it restarts", async () => {
  const world = await startCloud();
  const { client } = world;
  const spec = {
    name: "a",
    description: "default/web",
    ports: [{ protocol: "TCP" as const, port: 80, nodePort: 30_080 }],
    targets: [],
    healthCheck: { port: 10_256, path: "/healthz" },
    sourceRanges: [],
    sticky: false,
    keepsClientAddress: false,
  };
  const { balancer } = await client.ensureLoadBalancer({ spec });
  const { machines } = (await client.resizeNodeGroup({ group: "pool", from: 0, to: 2 })).group;
  await writeCloudFaults(world.socket, { listNodeGroups: { error: { code: "Unavailable", message: "down" } } });
  await world.end();
  world.served.balancers = [];
  const end = await world.start();
  onTestFinished(async () => {
    await end();
    await world.remove();
  });
  expect(world.served.balancers).toEqual([balancer]);
  await expect(client.listNodeGroups({})).rejects.toThrow("down");
  const wrong = { listNodeGroups: { delayMs: "soon" } } as object;
  await expect(writeCloudFaults(world.socket, wrong)).rejects.toThrow(
    /^the request has an unknown shape: listNodeGroups\.delayMs: .*expected number/,
  );
  await writeCloudFaults(world.socket, {});
  expect((await client.listNodeGroups({})).groups[0]?.machines).toEqual(machines);
  await world.settle();
  expect(world.host.machines.size).toBe(3);
});

test("an idle cloud inspects its machines once in an interval and does not write", async () => {
  const world = await startCloud({ settleIntervalMs: 100_000 });
  onTestFinished(async () => {
    await world.end();
    await world.remove();
  });
  await world.settle();
  const record = join(world.directory, "record.json");
  const list = vi.spyOn(world.host, "list");
  const { mtimeMs } = await stat(record);
  await world.settle();
  await world.settle();
  expect(list).not.toHaveBeenCalled();
  expect((await stat(record)).mtimeMs).toBe(mtimeMs);
  const { machines } = (await world.client.resizeNodeGroup({ group: "pool", from: 0, to: 1 })).group;
  await world.settle();
  expect(machines).toHaveLength(1);
  expect(world.host.machines.size).toBe(2);
  // A change causes one pass for itself, and another pass for the created machine.
  expect(list.mock.calls.length).toBeLessThanOrEqual(3);
});

test("a damaged record stops the cloud, which names the file and does not change it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "cloud-lab-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "record.json"), '{"balancers":');
  await expect(new CloudRecordFile(directory).read()).rejects.toThrow(/record\.json cannot be read/);
  expect(await readFile(join(directory, "record.json"), "utf8")).toBe('{"balancers":');
});

test("machines have the size minus the kubelet's reservation, and zones by their numbers", () => {
  const host = { cpuMillicores: 8000, memoryBytes: 16 * 1024 ** 3 };
  const { template } = aGroup("pool");
  expect(shapeArgs(template, host)).toEqual(["max-pods=20", `system-reserved=cpu=6000m,memory=${12 * 1024 ** 3}`]);
  const machine = (index: number, labels = {}) => ({
    name: `node-${index}`,
    index,
    address: `10.0.0.${index}`,
    labels,
  });
  const status = {
    machines: [machine(1), machine(5), machine(6, { "topology.kubernetes.io/zone": "rack-1" })],
    nodes: { "node-5": { power: "off", link: "down", kubelet: "running" } },
  } as unknown as SupervisorStatus;
  expect(machinesIn(status).map(({ zone, state }) => `${zone} ${state}`)).toEqual([
    "lab-a running",
    "lab-b stopped",
    "rack-1 running",
  ]);
});
