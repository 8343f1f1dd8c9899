import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ResourceClaim, resourceClaims } from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createDeviceClient, serveDevices } from "@kintsugi/dra";
import { expect, onTestFinished, test } from "vitest";
import { createLabDriver } from "./lab-devices.ts";

const deps = { clock: systemClock, random: systemRandom };
const driverName = "device.lab.kintsugi.dev";

/** The driver with its socket, and an API in memory. */
async function aDriver() {
  const root = await mkdtemp(join(tmpdir(), "device-lab-"));
  const [directory, cdiDirectory] = [join(root, "devices"), join(root, "cdi")];
  const api = new MemoryApi(deps, [resourceClaims]);
  const identity = { name: "system:node:node-1", groups: ["system:nodes"] };
  const client = createInProcessClient({ handler: api, ...deps }, { identity });
  const devices = { driverName, nodeName: "node-1", count: 2, model: "lab-1", memory: "1Gi" };
  const driver = createLabDriver({ ...deps, client }, { ...devices, directory, cdiDirectory });
  const server = await serveDevices(driver, join(root, "dra.sock"));
  const kubelet = createDeviceClient(deps, {
    endpoint: server.endpoint,
    service: "v1.DRAPlugin",
    callTimeoutMs: 1_000,
  });
  onTestFinished(async () => {
    kubelet.close();
    await server.close();
    await rm(root, { recursive: true });
  });
  const allocate = (name: string, ...names: string[]) => {
    const results = names.map((device) => ({ request: "d/first", driver: driverName, pool: "node-1", device }));
    const claim: ResourceClaim = {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { namespace: "default", name, uid: `uid-${name}` },
      spec: {},
      status: { allocation: { devices: { results } } },
    };
    api.log.put(resourceClaims.resource, claim);
    return { namespace: "default", name, uid: `uid-${name}` };
  };
  return { kubelet, allocate, root, directory, cdiDirectory };
}

test("a claim gets a variable and the file of each device; a repeated call returns the same result", async () => {
  const { kubelet, allocate, cdiDirectory, directory } = await aDriver();
  const claim = allocate("a", "device-1");
  const answer = await kubelet.nodePrepareResources([claim]);
  expect(answer.get(claim.uid)).toEqual({
    devices: [
      {
        requestNames: ["d"],
        poolName: "node-1",
        deviceName: "device-1",
        cdiDeviceIds: [`${driverName}/device=uid-a-device-1`],
      },
    ],
    error: "",
  });
  expect(await kubelet.nodePrepareResources([claim])).toEqual(answer);
  const [file = "", ...others] = await readdir(cdiDirectory);
  expect(others).toEqual([]);
  expect(JSON.parse(await readFile(join(cdiDirectory, file), "utf8"))).toEqual({
    cdiVersion: "0.3.0",
    kind: `${driverName}/device`,
    devices: [
      {
        name: "uid-a-device-1",
        containerEdits: {
          env: ["LAB_DEVICE_1=/dev/lab/device-1"],
          mounts: [
            {
              hostPath: join(directory, "devices/device-1"),
              containerPath: "/dev/lab/device-1",
              options: ["bind", "rw"],
            },
          ],
        },
      },
    ],
  });
  for (let times = 0; times < 2; times++)
    expect(await kubelet.nodeUnprepareResources([claim])).toEqual(new Map([[claim.uid, { error: "" }]]));
  expect(await readdir(cdiDirectory)).toEqual([]);
});

test("a device is assigned to one claim at a time, and the call's other claims get their devices", async () => {
  const { kubelet, allocate } = await aDriver();
  const [first, second, third] = [allocate("a", "device-0"), allocate("b", "device-0"), allocate("c", "device-1")];
  const answer = await kubelet.nodePrepareResources([first, second, third]);
  expect([...answer.values()].map(({ error }) => error)).toEqual([
    "",
    "device device-0 is prepared for claim default/a (uid-a)",
    "",
  ]);
  await kubelet.nodeUnprepareResources([first]);
  expect((await kubelet.nodePrepareResources([second])).get("uid-b")?.error).toBe("");
});

test("a claim that is missing, has another UID, or has a missing device is rejected", async () => {
  const { kubelet, allocate } = await aDriver();
  const errorOf = async (claim: ReturnType<typeof allocate>) =>
    (await kubelet.nodePrepareResources([claim])).get(claim.uid)?.error;
  expect(await errorOf({ namespace: "default", name: "x", uid: "1" })).toBe("claim default/x does not exist");
  expect(await errorOf({ ...allocate("a", "device-0"), uid: "2" })).toBe("claim default/a has another UID");
  expect(await errorOf(allocate("b", "device-9"))).toBe("node node-1 has no device device-9");
  expect(await errorOf({ ...allocate("c", "device-0"), uid: "../../x" })).toContain("is not a UID of the API");
});

test("faults in the directory's file apply to the calls that they name", async () => {
  const { kubelet, allocate, directory, cdiDirectory } = await aDriver();
  const claim = allocate("a", "device-0");
  await kubelet.nodePrepareResources([claim]);
  const faults = (text: object) => writeFile(join(directory, "faults.json"), JSON.stringify(text));
  await faults({ nodeUnprepareResources: { losesAnswer: true } });
  await expect(kubelet.nodeUnprepareResources([claim])).rejects.toThrow("no answer");
  expect(await readdir(cdiDirectory)).toEqual([]);
  await faults({ nodePrepareResources: { error: { code: "INTERNAL", message: "too hot" } } });
  await expect(kubelet.nodePrepareResources([claim])).rejects.toThrow("too hot");
});
