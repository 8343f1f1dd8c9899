import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import type { CallFault } from "@kintsugi/grpc";
import type { ClaimReference, DeviceDriver } from "./device-driver.ts";
import { withDeviceFaults } from "./faults.ts";
import { createDeviceClient } from "./grpc/device-client.ts";
import { serveDevices } from "./grpc/serve-devices.ts";
import { type DeviceServiceName, deviceServiceNames } from "./proto/service-names.ts";
import { chooseDeviceService } from "./registration.ts";

const clock = systemClock;
const claims: ClaimReference[] = [
  { namespace: "default", name: "a", uid: "1" },
  { namespace: "default", name: "b", uid: "2" },
];
const device = {
  requestNames: ["gpu"],
  poolName: "node-1",
  deviceName: "gpu-0",
  cdiDeviceIds: ["example.com/gpu=0", "example.com/gpu=all"],
};

class RecordingDriver implements DeviceDriver {
  readonly calls: unknown[] = [];

  async nodePrepareResources(asked: readonly ClaimReference[]) {
    this.calls.push(["prepare", asked]);
    return new Map(
      asked.map(({ uid }) => [
        uid,
        uid === "1" ? { devices: [device], error: "" } : { devices: [], error: "no such device" },
      ]),
    );
  }

  async nodeUnprepareResources(asked: readonly ClaimReference[]) {
    this.calls.push(["unprepare", asked]);
    return new Map(asked.map(({ uid }) => [uid, { error: "" }]));
  }
}

async function withServed(
  driver: DeviceDriver,
  service: DeviceServiceName,
  run: (client: ReturnType<typeof createDeviceClient>) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dra-"));
  const server = await serveDevices(driver, join(directory, "dra.sock"));
  const client = createDeviceClient({ clock }, { endpoint: server.endpoint, service, callTimeoutMs: 500 });
  try {
    await run(client);
  } finally {
    client.close();
    await server.close();
    await rm(directory, { recursive: true });
  }
}

test.each(deviceServiceNames)("a driver behind a socket behaves as in process, by %s", async (service) => {
  const driver = new RecordingDriver();
  await withServed(driver, service, async (client) => {
    expect(await client.isConnected(new AbortController().signal)).toBe(true);
    expect(await client.nodePrepareResources(claims)).toEqual(await driver.nodePrepareResources(claims));
    expect(await client.nodeUnprepareResources(claims)).toEqual(await driver.nodeUnprepareResources(claims));
    expect(driver.calls[0]).toEqual(driver.calls[1]);
  });
});

test.each<[string, CallFault, RegExp, number]>([
  ["hangs", { hangs: true }, /no answer within 500 ms/, 0],
  ["fails", { error: { code: "INTERNAL", message: "broken" } }, /broken/, 0],
  ["loses its answer", { losesAnswer: true }, /no answer within 500 ms/, 1],
])("a driver that %s ends the call", async (_name, fault, message, done) => {
  const driver = new RecordingDriver();
  const faulty = withDeviceFaults(driver, { clock, faultOf: async () => fault });
  await withServed(faulty, "v1.DRAPlugin", async (client) => {
    await expect(client.nodePrepareResources(claims)).rejects.toThrow(message);
    expect(driver.calls).toHaveLength(done);
  });
});

test("an unserved socket cannot be connected", async () => {
  const options = { endpoint: "unix:///nowhere/dra.sock", service: "v1.DRAPlugin", callTimeoutMs: 500 } as const;
  const client = createDeviceClient({ clock }, options);
  await expect(client.isConnected(AbortSignal.timeout(300))).rejects.toThrow("the caller aborted the call");
  client.close();
});

test("the first supported service is selected", () => {
  const choose = (...supported: string[]) =>
    chooseDeviceService("gpu.example.com", { endpoint: "/dra.sock", supported });
  expect(choose("v2.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAPlugin")).toBe("v1beta1.DRAPlugin");
  expect(() => choose()).toThrow("empty list of supported gRPC services");
  expect(() => choose("v1alpha3.Node")).toThrow(
    'none of services supported by the plugin (["v1alpha3.Node"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])',
  );
});
