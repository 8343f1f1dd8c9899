import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { CSIStorageCapacity, PersistentVolumeClaim } from "@kintsugi/api";
import { findCluster } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// Volumes of the lab's driver in every form that a pod can request, on real containers with real
// mounts, and a volume that moves between two nodes many times.

const lacking = whyNoKubectlCluster();

const claim = (name: string, more = "") => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 64Mi}}${more}}
`;

interface PodParts {
  readonly script: string;
  readonly volume: string;
  readonly container?: string;
  readonly spec?: string;
}

const mounted = "volumeMounts: [{name: v, mountPath: /v}]";
const pod = (name: string, { script, volume, container = mounted, spec = "" }: PodParts) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 0
  ${spec}
  containers:
    - name: c
      image: "busybox:1"
      command: [sh, -c, ${JSON.stringify(`${script}; echo done; sleep 100000`)}]
      ${container}
  volumes: [{name: v, ${volume}}]
`;
const ofClaim = (name: string) => `persistentVolumeClaim: {claimName: ${name}}`;

describe.skipIf(sayWhyNot("volumes in every form", lacking))("volumes of the lab's driver", () => {
  let cluster: LabCluster;
  /** The directory of the lab's cloud. */
  let disks: string;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "volume-uses", nodes: 2, csi: true });
    disks = (await findCluster(cluster.name))?.paths.disks ?? "";
    // The class is created when the kubelets serve, which takes longer on a busy machine.
    const hasClass = async () => (await cluster.kubectl("get", "sc", "-o", "name")) !== "";
    await eventually("the class is there", hasClass, 90_000);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Returns what the pod printed until it was done. */
  async function printed(name: string): Promise<string[]> {
    const lines = async () => (await cluster.tryKubectl(["logs", name])).stdout.trim().split("\n");
    await eventually(`${name} is done`, async () => (await lines()).includes("done"), 60_000);
    return (await lines()).slice(0, -1);
  }

  const removed = (name: string) => cluster.kubectl("delete", "pod", name, "--wait=true", "--timeout=60s");
  const events = () => cluster.kubectl("get", "events", "-o", "custom-columns=R:.reason,M:.message", "--no-headers");

  test("a claim grows, and its file system with it, at the latest when its pod starts again", async () => {
    await withTimeline(cluster, async () => {
      await cluster.apply(
        `${claim("growing")}---\n${pod("grows", { script: "df -m /v", volume: ofClaim("growing") })}`,
      );
      const before = await printed("grows");
      const patch = JSON.stringify({ spec: { resources: { requests: { storage: "256Mi" } } } });
      await cluster.kubectl("patch", "pvc", "growing", "-p", patch);
      const found = () => cluster.get<PersistentVolumeClaim>("pvc", "growing");
      // Hosts that cannot grow mounted file systems answer in this way first.
      await eventually("the node has been asked", async () => {
        const { status } = await found();
        const pending = status?.conditions?.some(({ type }) => type === "FileSystemResizePending");
        return pending === true || status?.capacity?.["storage"] === "256Mi";
      });
      await removed("grows");
      await cluster.apply(pod("grows", { script: "df -m /v", volume: ofClaim("growing") }));
      await eventually("it has grown", async () => (await found()).status?.capacity?.["storage"] === "256Mi", 60_000);
      const after = await printed("grows");
      const megabytes = (lines: readonly string[]) => Number(lines.at(-1)?.trim().split(/\s+/)[1]);
      expect(megabytes(before)).toBeLessThan(65);
      expect(megabytes(after)).toBeGreaterThan(200);
      expect((await found()).status).toMatchObject({ allocatedResourceStatuses: {}, conditions: [] });
      expect(await events()).toContain("FileSystemResizeSuccessful");
      const tooMuch = JSON.stringify({ spec: { resources: { requests: { storage: "20Ti" } } } });
      await cluster.kubectl("patch", "pvc", "growing", "-p", tooMuch);
      await eventually("it is refused", async () =>
        ((await found()).status?.conditions ?? []).some(({ type }) => type === "ControllerResizeError"),
      );
      await removed("grows");
    });
  });

  test("a raw device keeps its bytes, and a pod that mounts it as a file system is refused with an event", async () => {
    await withTimeline(cluster, async () => {
      const container = "volumeDevices: [{name: v, devicePath: /dev/data}]";
      const volume = ofClaim("raw");
      const write = "echo kept | dd of=/dev/data bs=512 conv=sync,fsync 2>/dev/null; stat -c %F /dev/data";
      await cluster.apply(
        `${claim("raw", ", volumeMode: Block")}---\n${pod("writes", { script: write, volume, container })}`,
      );
      expect(await printed("writes")).toEqual(["block special file"]);
      await removed("writes");
      await cluster.apply(pod("reads", { script: "head -c 4 /dev/data; echo", volume, container }));
      expect(await printed("reads")).toEqual(["kept"]);
      await removed("reads");
      await cluster.apply(pod("mounts", { script: "true", volume }));
      await eventually("an event says so", async () => (await events()).includes("has volumeMode Block"));
      await cluster.kubectl("delete", "pod", "mounts", "--force", "--grace-period=0");
    });
  });

  test("an inline volume has its own size and its group's files, and is removed with its pod", async () => {
    await withTimeline(cluster, async () => {
      const volume = "csi: {driver: lab.csi.kintsugi.dev, fsType: ext4, volumeAttributes: {size: 32Mi}}";
      const script = "df -m /v | tail -n1; stat -c %g /v; touch /v/mine && stat -c %g /v/mine";
      const spec = "securityContext: {runAsUser: 1000, fsGroup: 4711}";
      await cluster.apply(pod("inline", { script, volume, spec }));
      const [space = "", ...groups] = await printed("inline");
      expect(Number(space.trim().split(/\s+/)[1])).toBeLessThan(33);
      expect(groups).toEqual(["4711", "4711"]);
      await removed("inline");
    });
  });

  test("the usage of a claim is in the kubelet's summary, and a clone of a claim has its files", async () => {
    await withTimeline(cluster, async () => {
      const write = "dd if=/dev/zero of=/v/zeros bs=1M count=10 2>/dev/null; echo text > /v/text; sync";
      await cluster.apply(`${claim("source")}---\n${pod("fills", { script: write, volume: ofClaim("source") })}`);
      await printed("fills");
      const { spec } = await cluster.get<KubernetesObject>("pod", "fills");
      const path = `/api/v1/nodes/${spec.nodeName}/proxy/stats/summary`;
      interface Summary {
        pods: { podRef: { name: string }; volume?: { usedBytes: number; pvcRef?: object }[] }[];
      }
      await eventually(
        "the summary has it",
        async () => {
          const { pods } = JSON.parse(await cluster.kubectl("get", "--raw", path)) as Summary;
          const [volume] =
            pods.find(({ podRef }) => podRef.name === "fills")?.volume?.filter((one) => one.pvcRef) ?? [];
          return (volume?.usedBytes ?? 0) > 10 * 1024 ** 2;
        },
        90_000,
      );
      const copy = ", dataSource: {kind: PersistentVolumeClaim, name: source}";
      await cluster.apply(
        `${claim("copy", copy)}---\n${pod("copied", { script: "cat /v/text", volume: ofClaim("copy") })}`,
      );
      expect(await printed("copied")).toEqual(["text"]);
      for (const name of ["fills", "copied"]) await removed(name);
    });
  });

  test("a claim beyond the driver's capacity waits with upstream's words, and the capacity is published", async () => {
    await withTimeline(cluster, async () => {
      const { items } = await cluster.get<{ items: CSIStorageCapacity[] }>("csistoragecapacities", "-n", "kube-system");
      expect(items).toMatchObject([{ storageClassName: "csi-lab", capacity: expect.stringMatching(/Mi$|Gi$/) }]);
      const huge = claim("huge").replace("64Mi", "2Ti");
      await cluster.apply(`${huge}---\n${pod("waits", { script: "true", volume: ofClaim("huge") })}`);
      const words = "2 node(s) did not have enough free storage";
      await eventually("the pod has the reason", async () => (await events()).includes(words));
      for (const each of ["pod/waits", "pvc/huge"]) await cluster.kubectl("delete", each);
    });
  });

  test("a driver that is killed at any of its calls, after the work and before the response, does not lose a volume", async () => {
    await withTimeline(cluster, async () => {
      const faultsFile = join(disks, "faults.json");
      const script = "cat /v/text 2>/dev/null; echo once >> /v/text; sync";
      const manifest = `${claim("killed")}---\n${pod("killed", { script, volume: ofClaim("killed") })}`;
      const drivers = ["csi-lab", "csi-lab@node-1", "csi-lab@node-2"];

      /** The call does its work, and its driver dies before it can answer. */
      async function killedAt(call: string, cause: () => Promise<unknown>): Promise<void> {
        await writeFile(faultsFile, JSON.stringify({ [call]: { losesAnswer: true } }));
        await cause();
        await setTimeout(2_500);
        await rm(faultsFile);
        for (const driver of drivers) process.kill(await cluster.pidOf(driver), "SIGKILL");
      }

      for (const call of ["createVolume", "controllerPublishVolume", "nodeStageVolume", "nodePublishVolume"]) {
        await killedAt(call, () => cluster.apply(manifest));
        await printed("killed");
        for (const each of ["pod", "pvc"]) await cluster.kubectl("delete", each, "killed", "--timeout=90s");
      }
      let runs = 0;
      for (const call of ["nodeUnpublishVolume", "nodeUnstageVolume", "controllerUnpublishVolume"]) {
        const spec = `nodeSelector: {kubernetes.io/hostname: node-${(runs % 2) + 1}}`;
        await cluster.apply(`${claim("killed")}---\n${pod("killed", { script, volume: ofClaim("killed"), spec })}`);
        expect(await printed("killed")).toEqual(Array.from({ length: runs }, () => "once"));
        runs++;
        await killedAt(call, () => cluster.kubectl("delete", "pod", "killed", "--wait=false"));
        await cluster.kubectl("wait", "--for=delete", "pod/killed", "--timeout=90s");
      }
      await killedAt("deleteVolume", () => cluster.kubectl("delete", "pvc", "killed", "--wait=false"));
      await eventually(
        "no disk is left of it",
        async () => {
          const volumes = await cluster.kubectl(
            "get",
            "pv",
            "-o",
            "custom-columns=C:.spec.claimRef.name",
            "--no-headers",
          );
          return !volumes.includes("killed");
        },
        90_000,
      );
      await eventually(
        "every disk has a volume",
        async () => {
          const media = (await readdir(join(disks, "disks"))).length;
          return media === (await cluster.get<{ items: object[] }>("pv")).items.length;
        },
        60_000,
      );
    });
  });

  test("50 moves between two nodes do not lose or change a byte", async () => {
    await withTimeline(cluster, async () => {
      await cluster.apply(claim("moving"));
      // Each run appends 64 KiB of unpredictable data, and reports the data only when it is on
      // disk.
      const script =
        "sha256sum < /v/blob 2>/dev/null; dd if=/dev/urandom bs=4096 count=16 2>/dev/null >> /v/blob; sync; sha256sum < /v/blob";
      const [found, left]: [(string | undefined)[], (string | undefined)[]] = [[], []];
      for (let move = 0; move < 50; move++) {
        const spec = `nodeSelector: {kubernetes.io/hostname: node-${(move % 2) + 1}}`;
        await cluster.apply(pod("mover", { script, volume: ofClaim("moving"), spec }));
        const sums = (await printed("mover")).map((line) => line.split(" ")[0]);
        found.push(sums[0]);
        left.push(sums.at(-1));
        if (move < 49) await removed("mover");
      }
      // The first run does not find a file.
      expect(found.slice(1)).toEqual(left.slice(0, -1));
      const size = (await cluster.kubectl("exec", "mover", "--", "stat", "-c", "%s", "/v/blob")).trim();
      expect(Number(size)).toBe(50 * 16 * 4096);
      const text = await cluster.kubectl("exec", "mover", "--", "sh", "-c", "base64 /v/blob");
      expect(createHash("sha256").update(Buffer.from(text, "base64")).digest("hex")).toBe(left.at(-1));
    });
  });
});
