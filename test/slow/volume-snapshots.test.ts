import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PersistentVolumeClaim, VolumeSnapshot } from "@kintsugi/api";
import { findCluster } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// Snapshots of the lab's disks and claims that change their VolumeAttributesClass, with kubectl, on
// real mounts.

const lacking = whyNoKubectlCluster();
/** A busy machine needs long for a pod. */
const patienceMs = 240_000;

const claim = (name: string, more = "") => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 64Mi}}${more}}
`;
const restored = (name: string, snapshot: string) =>
  claim(name, `, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: ${snapshot}}`);
const snapshotOf = (name: string, source: string) => `apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: ${name}}
spec: {source: {persistentVolumeClaimName: ${source}}}
`;
const attributes = (name: string, parameters: string) => `apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: ${name}}
driverName: lab.csi.kintsugi.dev
parameters: {${parameters}}
`;
const pod = (name: string, claimName: string, script: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - name: c
      image: "busybox:1"
      command: [sh, -c, ${JSON.stringify(`${script}; echo done; sleep 100000`)}]
      volumeMounts: [{name: v, mountPath: /v}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: ${claimName}}}]
`;

describe.skipIf(sayWhyNot("snapshots of volumes", lacking))("snapshots and classes of volumes", () => {
  let cluster: LabCluster;
  /** The directory of the lab's cloud. */
  let disks: string;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "snapshots", nodes: 2, csi: true, profile: "default" });
    disks = (await findCluster(cluster.name))?.paths.disks ?? "";
    const hasClass = async () =>
      (await cluster.tryKubectl(["get", "vsclass", "-o", "name"])).stdout.includes("csi-lab");
    await eventually("the class of snapshots is there", hasClass, patienceMs);
  }, 2 * patienceMs);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Returns what the pod printed until it was done. */
  async function printed(name: string): Promise<string[]> {
    const lines = async () => (await cluster.tryKubectl(["logs", name])).stdout.trim().split("\n");
    await eventually(`${name} is done`, async () => (await lines()).includes("done"), patienceMs);
    return (await lines()).slice(0, -1);
  }

  async function runs(name: string, claimName: string, script: string): Promise<string[]> {
    await cluster.apply(pod(name, claimName, script));
    const lines = await printed(name);
    await cluster.kubectl("delete", "pod", name, "--wait=true", "--timeout=240s");
    return lines;
  }

  const isReady = async (name: string) =>
    (await cluster.get<VolumeSnapshot>("volumesnapshot", name)).status?.readyToUse === true;
  const ready = (name: string) => eventually(`the snapshot ${name} is ready`, () => isReady(name), patienceMs);
  const classOf = async (name: string) => (await cluster.get<PersistentVolumeClaim>("pvc", name)).status;
  const copies = () => readdir(join(disks, "snapshots")).catch(() => [] as string[]);
  const faults = (calls: object) => writeFile(join(disks, "faults.json"), JSON.stringify(calls));

  /** Returns the attributes of the claim's disk in the driver's own record. */
  async function recorded(name: string): Promise<Record<string, string> | undefined> {
    const { spec } = await cluster.get<PersistentVolumeClaim>("pvc", name);
    const books = JSON.parse(await readFile(join(disks, "books.json"), "utf8")) as {
      disks: Record<string, { name: string; attributes?: Record<string, string> }>;
    };
    return Object.values(books.disks).find((disk) => disk.name === spec?.volumeName)?.attributes;
  }

  /** Returns the process of the driver's controller. */
  async function driverPid(): Promise<number> {
    for (const pid of (await readdir("/proc")).filter((each) => /^\d+$/.test(each))) {
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (line.includes("csi-lab") && line.includes(disks) && /mode[=\0]controller/.test(line)) return Number(pid);
    }
    throw new Error("the driver's controller does not run");
  }

  test("a restored claim has the bytes of its snapshot, even if the source no longer exists", async () => {
    await withTimeline(cluster, async () => {
      const write = "dd if=/dev/urandom of=/v/bytes bs=64k count=64 2>/dev/null; sync; sha256sum /v/bytes";
      await cluster.apply(claim("source"));
      const [before] = await runs("writes", "source", write);
      await cluster.apply(snapshotOf("first", "source"));
      await ready("first");
      const [after] = await runs("changes", "source", write);
      expect(after).not.toBe(before);
      await cluster.apply(restored("copy", "first"));
      expect(await runs("reads", "copy", "sha256sum /v/bytes")).toEqual([before]);

      const table = await cluster.kubectl("get", "volumesnapshot");
      process.stdout.write(`${table}\n${await cluster.kubectl("get", "volumesnapshotcontent")}\n`);
      expect(table.split("\n")[0]?.trim().split(/\s+/)).toEqual([
        "NAME",
        "READYTOUSE",
        "SOURCEPVC",
        "SOURCESNAPSHOTCONTENT",
        "RESTORESIZE",
        "SNAPSHOTCLASS",
        "SNAPSHOTCONTENT",
        "CREATIONTIME",
        "AGE",
      ]);
      expect(table).toMatch(/first\s+true\s+source\s+64Mi\s+csi-lab\s+snapcontent-\S+\s+\d+m?\d*s?\s+\d+/);
      const described = await cluster.kubectl("describe", "volumesnapshot", "first");
      for (const reason of ["CreatingSnapshot", "SnapshotCreated", "SnapshotReady"])
        expect(described).toContain(reason);

      await cluster.kubectl("delete", "pvc", "source", "--wait=true", "--timeout=240s");
      await cluster.apply(restored("later", "first"));
      expect(await runs("reads-later", "later", "sha256sum /v/bytes")).toEqual([before]);
      await cluster.kubectl("delete", "volumesnapshot", "first", "--wait=true", "--timeout=240s");
      expect(await copies()).toEqual([]);
      expect(await cluster.kubectl("get", "volumesnapshotcontent", "-o", "name")).toBe("");
    });
  });

  test("a claim that requests less than its snapshot's size waits with an event", async () => {
    await cluster.apply(claim("large"));
    await runs("fills", "large", "echo text > /v/text; sync");
    await cluster.apply(snapshotOf("large", "large"));
    await ready("large");
    const small = restored("small", "large").replace("64Mi", "8Mi");
    await cluster.apply(`${small}---\n${pod("waits", "small", "true")}`);
    const events = async () => cluster.kubectl("describe", "pvc", "small");
    await eventually(
      "an event says so",
      async () => (await events()).includes("for the source snapshot large"),
      60_000,
    );
    expect(await events()).toContain("ProvisioningFailed");
    await cluster.kubectl("delete", "pod", "waits", "--force", "--grace-period=0");
    await cluster.kubectl("delete", "pvc", "small", "--wait=false");
    await cluster.kubectl("delete", "volumesnapshot", "large", "--wait=true", "--timeout=240s");
  });

  test("a driver that is killed while it takes a snapshot leaves one copy", async () => {
    await withTimeline(cluster, async () => {
      await cluster.apply(claim("killed"));
      const [before] = await runs(
        "writes-killed",
        "killed",
        "head -c 100000 /dev/urandom > /v/b; sync; sha256sum /v/b",
      );
      await faults({ createSnapshot: { losesAnswer: true } });
      await cluster.apply(snapshotOf("killed", "killed"));
      await eventually("the copy is made", async () => (await copies()).length === 1, patienceMs);
      process.kill(await driverPid(), "SIGKILL");
      await faults({});
      await ready("killed");
      expect(await copies()).toHaveLength(1);
      await cluster.apply(restored("revived", "killed"));
      expect(await runs("reads-revived", "revived", "sha256sum /v/b")).toEqual([before]);
      // A snapshot that is deleted while its answer is pending also removes the copy.
      await faults({ createSnapshot: { losesAnswer: true } });
      await cluster.apply(snapshotOf("doomed", "killed"));
      await eventually("the second copy is made", async () => (await copies()).length === 2, patienceMs);
      await cluster.kubectl("delete", "volumesnapshot", "doomed", "--wait=false");
      process.kill(await driverPid(), "SIGKILL");
      await faults({});
      const isGone = async () => !(await cluster.kubectl("get", "volumesnapshot", "-o", "name")).includes("doomed");
      await eventually("the snapshot is gone", isGone, patienceMs);
      expect(await copies()).toHaveLength(1);
    });
  });

  test("a claim whose class changes twice while the driver is paused has the last class", async () => {
    await withTimeline(cluster, async () => {
      await cluster.apply(
        [attributes("silver", "tier: silver"), attributes("gold", 'tier: gold, latencyMs: "20"')].join("---\n"),
      );
      await cluster.apply(claim("classy", ", volumeAttributesClassName: silver"));
      await runs("uses", "classy", "echo text > /v/text; sync");
      expect(await recorded("classy")).toEqual({ tier: "silver" });
      const change = (name: string) =>
        cluster.kubectl("patch", "pvc", "classy", "-p", `{"spec":{"volumeAttributesClassName":"${name}"}}`);
      const driver = await driverPid();
      process.kill(driver, "SIGSTOP");
      try {
        await change("gold");
        const isBegun = async () => (await classOf("classy"))?.modifyVolumeStatus?.status === "InProgress";
        await eventually("the change is under way", isBegun, patienceMs);
        await change("silver");
        await change("gold");
      } finally {
        process.kill(driver, "SIGCONT");
      }
      const isChanged = async () => (await classOf("classy"))?.currentVolumeAttributesClassName === "gold";
      await eventually("the claim has its class", isChanged, patienceMs);
      expect(await recorded("classy")).toEqual({ tier: "gold", latencyMs: "20" });
      const settled = await classOf("classy");
      expect(settled?.modifyVolumeStatus).toBeUndefined();
      expect((settled?.conditions ?? []).map(({ type }) => type)).toEqual([]);
      // The class that the claim names remains, and the other class is removed.
      await cluster.kubectl("delete", "vac", "silver", "--wait=true", "--timeout=240s");
      await cluster.kubectl("delete", "vac", "gold", "--wait=false");
      expect(await cluster.kubectl("get", "vac", "-o", "name")).toContain("gold");
    });
  });

  test("parameters that the driver rejects are infeasible, and do not change the volume", async () => {
    await cluster.apply(attributes("wrong", "iops: many"));
    await cluster.apply(claim("refused"));
    await runs("uses-refused", "refused", "true");
    const patch = '{"spec":{"volumeAttributesClassName":"wrong"}}';
    await cluster.kubectl("patch", "pvc", "refused", "-p", patch);
    const isRefused = async () => (await classOf("refused"))?.modifyVolumeStatus?.status === "Infeasible";
    await eventually("the class is refused", isRefused, patienceMs);
    const described = await cluster.kubectl("describe", "pvc", "refused");
    process.stdout.write(`${described}\n`);
    expect(described).toContain("ModifyVolumeError");
    expect(described).toContain('mutable parameter "iops" is unknown');
    expect(await recorded("refused")).toBeUndefined();
    const explained = await cluster.kintsugi("explain", "pvc", "refused");
    process.stdout.write(`${explained.stdout}\n`);
  });
});
