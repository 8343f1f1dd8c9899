import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { createCsiClient } from "../grpc/csi-client.ts";
import { serveCsi } from "../grpc/serve.ts";
import { type DriverSubject, describeDriverContract } from "./driver-contract.ts";
import { FakeCloud } from "../simulated/fake-cloud.ts";

function fakeSubject(): Omit<DriverSubject, typeof Symbol.asyncDispose> {
  const cloud = new FakeCloud({ clock: systemClock, random: new SeededRandom(1) }, { disksPerNodeMax: 3 });
  const [nodeId, otherNodeId] = ["node-1", "node-2"];
  const driver = cloud.driverOf({ id: nodeId, zone: "z" });
  const otherDriver = cloud.driverOf({ id: otherNodeId, zone: "z" });
  return { driver, nodeId, otherDriver, otherNodeId, growsMounted: true, directory: "/fake" };
}

describeDriverContract("the fake", async () => ({ ...fakeSubject(), [Symbol.asyncDispose]: async () => {} }));

describeDriverContract("the fake behind a socket", async () => {
  const directory = await mkdtemp(join(tmpdir(), "csi-"));
  const subject = fakeSubject();
  const server = await serveCsi(subject.driver, join(directory, "csi.sock"));
  const client = createCsiClient({ clock: systemClock }, { endpoint: server.endpoint, callTimeoutMs: 5_000 });
  return {
    ...subject,
    driver: client,
    async [Symbol.asyncDispose]() {
      client.close();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
});

test("a call ends at its time limit, with an unknown outcome at the driver", async () => {
  const directory = await mkdtemp(join(tmpdir(), "csi-"));
  const server = await serveCsi({ probe: () => new Promise(() => {}) }, join(directory, "csi.sock"));
  const client = createCsiClient({ clock: systemClock }, { endpoint: server.endpoint, callTimeoutMs: 50 });
  await expect(client.probe({})).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await expect(client.deleteVolume({ volumeId: "v" })).rejects.toMatchObject({ code: "UNIMPLEMENTED" });
  client.close();
  await server.close();
  await rm(directory, { recursive: true });
});
