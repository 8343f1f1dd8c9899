import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import { isCloudError } from "./cloud-error.ts";
import { type CloudFaults, withCloudFaults } from "./faults.ts";
import { emptyRecord } from "./record/cloud-record.ts";
import { describeCloudContract } from "./testing/cloud-contract.ts";
import { aGroup, FakeLabCloud } from "./simulated/fake-machines.ts";
import { createCloudClient } from "./transport/cloud-client.ts";
import { serveCloud } from "./transport/serve-cloud.ts";

function fake(): FakeLabCloud {
  const cloud = new FakeLabCloud({ random: new SeededRandom(1) }, { ...emptyRecord, groups: [aGroup("pool")] });
  cloud.host.add("node-1");
  return cloud;
}

async function served() {
  const cloud = fake();
  const directory = await mkdtemp(join(tmpdir(), "cloud-"));
  const socket = join(directory, "cloud.sock");
  const state: { faults: CloudFaults } = { faults: {} };
  const clock = new VirtualClock();
  const faulty = withCloudFaults(cloud, { clock, faultOf: (name) => state.faults[name] ?? state.faults["*"] });
  const stop = new AbortController();
  const faults = { get: () => state.faults, set: async (wanted: CloudFaults) => void (state.faults = wanted) };
  const running = serveCloud({ cloud: faulty, faults, onError: () => {} }, socket, stop.signal);
  const client = createCloudClient({ socket, callTimeoutMs: 500 });
  const close = async () => {
    stop.abort();
    await running;
    await rm(directory, { recursive: true });
  };
  // The socket exists a moment after the call.
  for (;;) {
    const listens = await client.listInstances({}).catch(() => undefined);
    if (listens !== undefined) break;
  }
  return { cloud, client, socket, clock, close };
}

describeCloudContract("the fake cloud", async () => {
  const cloud = fake();
  return { cloud, machine: "node-1", group: "pool", settle: () => cloud.settle() };
});

describeCloudContract("a cloud behind a socket", async () => {
  const { cloud, client, close } = await served();
  return { cloud: client, machine: "node-1", group: "pool", settle: () => cloud.settle(), close };
});

function put(socketPath: string, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: "PUT", path, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("a user makes the cloud fail, lose responses and return wrong states, and invalid faults are rejected", async () => {
  const { cloud, client, socket, close } = await served();
  onTestFinished(close);
  expect((await put(socket, "/v1/faults", '{"listInstances":{"slow":1}}')).status).toBe(400);
  expect((await put(socket, "/v1/faults", "{")).status).toBe(400);
  const wanted: CloudFaults = {
    findInstance: { hides: ["node-1"] },
    resizeNodeGroup: { losesAnswer: true },
    listNodeGroups: { error: { code: "Unavailable", message: "quota of calls exceeded" } },
  };
  expect((await put(socket, "/v1/faults", JSON.stringify(wanted))).status).toBe(200);
  expect(await client.findInstance({ name: "node-1" })).toEqual({});
  await expect(client.listNodeGroups({})).rejects.toThrow("quota of calls exceeded");
  const lost = await client.resizeNodeGroup({ group: "pool", from: 0, to: 1 }).catch((error: unknown) => error);
  expect(isCloudError(lost, "Unavailable")).toBe(true);
  expect(cloud.record.groups[0]?.machines).toHaveLength(1);
});

test("an unreachable cloud is reported as unavailable, with the reason", async () => {
  const client = createCloudClient({ socket: "/nowhere/cloud.sock", callTimeoutMs: 100 });
  await expect(client.listInstances({})).rejects.toThrow(/listInstances: the cloud cannot be reached: .*ENOENT/);
});

test("a machine that is cancelled before it exists is removed when it appears", async () => {
  const cloud = fake();
  await cloud.resizeNodeGroup({ group: "pool", from: 0, to: 1 });
  const [machine] = cloud.record.groups[0]?.machines ?? [];
  await cloud.resizeNodeGroup({ group: "pool", from: 1, to: 0 });
  cloud.host.add(machine?.name ?? "");
  await cloud.settle();
  await cloud.settle();
  expect(cloud.host.machines.size).toBe(1);
  expect(cloud.record.groups[0]?.machines).toEqual([]);
});
