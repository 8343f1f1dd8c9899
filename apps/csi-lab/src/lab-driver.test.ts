import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { CsiDriver } from "@kintsugi/csi";
import { describeDriverContract, type DriverSubject } from "@kintsugi/csi/testing/contract";
import { mountPoints, runCommand } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import { hasLoopDevices } from "./host/loop-devices.ts";
import { createControllerDriver, createNodeDriver } from "./lab-driver.ts";
import { inlineLimitsDefault } from "./node/inline-room.ts";

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && hasLoopDevices("/usr/sbin");

/** CAP_SYS_RESOURCE is bit 24 of the effective set. */
function mayGrowMounted(): boolean {
  const [, bits = "0"] = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return ((BigInt(`0x${bits}`) >> 24n) & 1n) === 1n;
}

async function labSubject(images: boolean, inlineLimits = inlineLimitsDefault): Promise<DriverSubject> {
  const directory = await mkdtemp(join(tmpdir(), "csi-lab-"));
  const deps = { clock: systemClock, random: systemRandom };
  const options = {
    driverName: "lab.csi.kintsugi.dev",
    directory: join(directory, "cloud"),
    images,
    cloud: { disksPerNodeMax: 3 },
    inlineLimits,
  };
  const [nodeId, otherNodeId] = ["node-1", "node-2"];
  const controller = createControllerDriver(deps, options);
  const driverOf = async (id: string) =>
    ({ ...controller, ...(await createNodeDriver(deps, { ...options, nodeId: id, zone: "z" })) }) as CsiDriver;
  const mounts = join(directory, "mounts");
  await mkdir(mounts);
  return {
    driver: await driverOf(nodeId),
    nodeId,
    otherDriver: await driverOf(otherNodeId),
    otherNodeId,
    growsMounted: !images || mayGrowMounted(),
    directory: mounts,
    async [Symbol.asyncDispose]() {
      const left = (await mountPoints()).filter((point) => point.startsWith(`${directory}/`)).reverse();
      if (left.length > 0) await runCommand("umount", left);
      await rm(directory, { recursive: true });
    },
  };
}

describe.runIf(isRoot)(`as root${isRoot ? "" : " (skipped: only root mounts)"}`, () => {
  test("a directory is not detached while a container that outlived its unmount uses it", async () => {
    await using subject = await labSubject(false);
    const { driver, nodeId, directory } = subject;
    const capability = { mount: { fsType: "", mountFlags: [] }, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };
    const { volume } = await driver.createVolume({ name: "data", volumeCapabilities: [capability] });
    const volumeId = volume?.volumeId ?? "";
    const target = join(directory, "data");
    const request = { volumeId, volumeCapability: capability, stagingTargetPath: target };
    await driver.controllerPublishVolume({ ...request, nodeId, readonly: false });
    await driver.nodeStageVolume(request);
    const container = spawn("unshare", ["--mount", "sh", "-c", "echo up; read line"]);
    await once(container.stdout, "data");
    await driver.nodeUnstageVolume({ volumeId, stagingTargetPath: target });
    await expect(driver.controllerUnpublishVolume({ volumeId, nodeId })).rejects.toMatchObject({
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining(`still mounted by process ${container.pid}`),
    });
    container.stdin.end();
    await once(container, "exit");
    await driver.controllerUnpublishVolume({ volumeId, nodeId });
  });

  describeDriverContract("the lab's driver with directories", () => labSubject(false));
});

describe.runIf(canMount)(`with loop devices${canMount ? "" : " (skipped: only root has loop devices)"}`, () => {
  describeDriverContract("the lab's driver with images", () => labSubject(true));

  const capability = { mount: { fsType: "ext4", mountFlags: [] }, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };
  const capacityRange = { requiredBytes: 16 * 1024 ** 2, limitBytes: 0 };

  async function mountedDisk({ driver, nodeId, directory }: DriverSubject, name: string, source = {}) {
    const { volume } = await driver.createVolume({ name, volumeCapabilities: [capability], capacityRange, ...source });
    const volumeId = volume?.volumeId ?? "";
    const target = join(directory, name);
    const request = { volumeId, volumeCapability: capability, stagingTargetPath: target };
    await driver.controllerPublishVolume({ ...request, nodeId, readonly: false });
    await driver.nodeStageVolume(request);
    return { volumeId, target, request };
  }

  test("after a detachment the disk is not written, and synced data is present on the next node", async () => {
    await using subject = await labSubject(true);
    const { driver, otherDriver, nodeId, otherNodeId, directory } = subject;
    const { volumeId, target, request } = await mountedDisk(subject, "data");
    const file = await open(join(target, "counter"), "w");
    await file.write("1\n");
    await file.sync();
    await driver.controllerUnpublishVolume({ volumeId, nodeId });
    await expect(file.write("2\n").then(() => file.sync())).rejects.toThrow(/EROFS|EIO/);
    await file.close();
    await driver.controllerPublishVolume({ ...request, nodeId: otherNodeId, readonly: false });
    const elsewhere = join(directory, "elsewhere");
    await otherDriver.nodeStageVolume({ ...request, stagingTargetPath: elsewhere });
    expect(await readFile(join(elsewhere, "counter"), "utf8")).toBe("1\n");
    await writeFile(join(elsewhere, "counter"), "3\n", { flush: true });
  });

  test("a disk that is staged again blocks writes through a mount of an earlier run", async () => {
    await using subject = await labSubject(true);
    const { driver, directory } = subject;
    const { target, request } = await mountedDisk(subject, "data");
    const file = await open(join(target, "counter"), "w");
    await file.write("1\n");
    await file.sync();
    // The open file keeps the file system in use, as the namespace of a container does.
    await runCommand("umount", ["--lazy", target]);
    const anew = join(directory, "anew");
    await driver.nodeStageVolume({ ...request, stagingTargetPath: anew });
    await expect(file.write("2\n").then(() => file.sync())).rejects.toThrow(/EROFS|EIO/);
    await file.close();
    expect(await readFile(join(anew, "counter"), "utf8")).toBe("1\n");
    await writeFile(join(anew, "counter"), "3\n", { flush: true });
  });

  test("a clone and a restored snapshot have their source's content and a larger size", async () => {
    await using subject = await labSubject(true);
    const { driver } = subject;
    const { volumeId, target } = await mountedDisk(subject, "data");
    const file = await open(join(target, "text"), "w");
    await file.write("kept");
    await file.sync();
    await file.close();
    const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
    await writeFile(join(target, "text"), "changed");
    const larger = { capacityRange: { requiredBytes: 32 * 1024 ** 2, limitBytes: 0 } };
    const volumeContentSource = { snapshot: { snapshotId: snapshot?.snapshotId ?? "" } };
    const restored = await mountedDisk(subject, "restored", { volumeContentSource, ...larger });
    expect(await readFile(join(restored.target, "text"), "utf8")).toBe("kept");
  });

  test("a mounted file system has grown when it is staged again", async () => {
    await using subject = await labSubject(true);
    const { driver } = subject;
    const { volumeId, target, request } = await mountedDisk(subject, "data");
    await writeFile(join(target, "text"), "kept", { flush: true });
    const before = await statfs(target);
    await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 64 * 1024 ** 2, limitBytes: 0 } });
    await driver.nodeUnstageVolume(request);
    await driver.nodeStageVolume(request);
    const after = await statfs(target);
    expect(after.blocks * after.bsize).toBeGreaterThan(3 * before.blocks * before.bsize);
    const grown = { ...request, volumePath: target };
    await expect(driver.nodeExpandVolume(grown)).resolves.toEqual({ capacityBytes: 64 * 1024 ** 2 });
    expect(await readFile(join(target, "text"), "utf8")).toBe("kept");
  });

  test("a raw device has its disk's size, and its disk is free again once it is unpublished", async () => {
    await using subject = await labSubject(true);
    const { driver, nodeId, otherNodeId, directory } = subject;
    const block = { block: {}, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };
    const { volume } = await driver.createVolume({ name: "raw", volumeCapabilities: [block], capacityRange });
    const volumeId = volume?.volumeId ?? "";
    const targetPath = join(directory, "pod", "device");
    const request = { volumeId, volumeCapability: block, stagingTargetPath: join(directory, "raw"), targetPath };
    await driver.controllerPublishVolume({ ...request, nodeId, readonly: false });
    await driver.nodeStageVolume(request);
    await driver.nodePublishVolume({ ...request, readonly: false });
    expect((await runCommand("blockdev", ["--getsize64", targetPath])).trim()).toBe(`${16 * 1024 ** 2}`);
    const device = await open(targetPath, "r+");
    await device.write("kept");
    await device.sync();
    await device.close();
    const container = spawn("unshare", ["--mount", "sh", "-c", "echo up; read line"]);
    await once(container.stdout, "data");
    const early = driver.controllerUnpublishVolume({ volumeId, nodeId });
    await expect(early).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
    container.stdin.end();
    await once(container, "exit");
    await driver.nodeUnpublishVolume(request);
    await driver.controllerUnpublishVolume({ volumeId, nodeId });
    await subject.otherDriver.controllerPublishVolume({ ...request, nodeId: otherNodeId, readonly: false });
    await subject.otherDriver.nodePublishVolume({ ...request, readonly: false });
    expect((await readFile(targetPath)).subarray(0, 4).toString()).toBe("kept");
    await subject.otherDriver.nodeUnpublishVolume(request);
  });

  test.each([true, false])(
    "an inline volume belongs to a single pod and is deleted with it (images: %s)",
    async (images) => {
      await using subject = await labSubject(images);
      const { driver, directory } = subject;
      const volumeId = `csi-${"a".repeat(64)}`;
      const targetPath = join(directory, "pod", "mount");
      const volumeContext = { "csi.storage.k8s.io/ephemeral": "true", size: "16Mi" };
      const request = { volumeId, volumeCapability: capability, stagingTargetPath: "", targetPath, readonly: false };
      const publish = (more: object) => driver.nodePublishVolume({ ...request, volumeContext, ...more });
      for (const size of ["1Ki", "much", "-1", "2Gi", "17Ti"])
        await expect(publish({ volumeContext: { ...volumeContext, size } })).rejects.toThrow("must be a quantity");
      await expect(publish({ volumeId: "../x" })).rejects.toThrow("was not assigned by the kubelet");
      await publish({});
      await publish({});
      await writeFile(join(targetPath, "text"), "here");
      for (let times = 0; times < 2; times++) await driver.nodeUnpublishVolume(request);
      expect(await readdir(join(directory, "../cloud/ephemeral"))).toEqual([]);
    },
  );

  test("inline volumes are sparse, and are limited individually, per namespace and in total", async () => {
    await using subject = await labSubject(true, { volumeBytesMax: 64 * 1024 ** 2, totalBytesMax: 128 * 1024 ** 2 });
    const { driver, directory } = subject;
    const ephemeral = join(directory, "../cloud/ephemeral");
    const requestOf = (number: number) => ({
      volumeId: `csi-${String(number).repeat(64)}`,
      volumeCapability: capability,
      stagingTargetPath: "",
      targetPath: join(directory, `pod-${number}`),
      readonly: false,
    });
    const publish = (number: number, namespace: string, size: string) => {
      const volumeContext = {
        "csi.storage.k8s.io/ephemeral": "true",
        "csi.storage.k8s.io/pod.namespace": namespace,
        size,
      };
      return driver.nodePublishVolume({ ...requestOf(number), volumeContext });
    };
    await publish(1, "a", "64Mi");
    const { blocks } = await stat(join(ephemeral, `csi-${"1".repeat(64)}.img`));
    expect(blocks * 512).toBeLessThan(2 * 1024 ** 2);
    await expect(publish(2, "a", "65Mi")).rejects.toThrow("must be a quantity from 8Mi to 64Mi");
    await expect(publish(2, "a", "9Mi")).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("of a namespace"),
    });
    await publish(2, "b", "60Mi");
    await expect(publish(3, "c", "8Mi")).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("of all pods"),
    });
    expect((await readdir(ephemeral)).length).toBe(4);
    await driver.nodeUnpublishVolume(requestOf(1));
    await publish(3, "c", "8Mi");
    for (const number of [2, 3]) await driver.nodeUnpublishVolume(requestOf(number));
    expect(await readdir(ephemeral)).toEqual([]);
  });

  test("faults in the cloud's file apply to the calls that they name", async () => {
    await using subject = await labSubject(true);
    const { driver, directory } = subject;
    const faults = { createVolume: { error: { code: "UNAVAILABLE", message: "the cloud is down" } } };
    await writeFile(join(directory, "../cloud/faults.json"), JSON.stringify(faults));
    const request = { name: "a", volumeCapabilities: [capability], capacityRange };
    await expect(driver.createVolume(request)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await rm(join(directory, "../cloud/faults.json"));
    await expect(driver.createVolume(request)).resolves.toBeDefined();
  });
});
