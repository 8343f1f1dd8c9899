import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, ResourceClaim } from "@kintsugi/api";
import { findCluster, nodePaths } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// Devices of the lab's driver on real containers: two nodes with two devices each. A container
// writes its name into the file of its device and reads it again every second, so a container whose
// device another container shared has detected that, even if the API reports otherwise.

const lacking = whyNoKubectlCluster();

const script = [
  "set -- /dev/lab/*",
  'test $# = 1 || { echo "not one device: $*"; sleep 1; exit 3; }',
  'echo "$HOSTNAME" > "$1"',
  'echo "has $1 as $(env | grep ^LAB_DEVICE_)"',
  "trap 'exit 0' TERM",
  'while true; do sleep 1; test "$(cat "$1")" = "$HOSTNAME" || { echo "shared with $(cat "$1")"; exit 4; }; done',
].join("; ");

const manifest = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-device}
spec: {spec: {devices: {requests: [{name: d, exactly: {deviceClassName: device.lab.kintsugi.dev}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: users}
spec:
  replicas: 5
  selector: {matchLabels: {app: users}}
  template:
    metadata: {labels: {app: users}}
    spec:
      terminationGracePeriodSeconds: 5
      tolerations:
        - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 2}
        - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 2}
      resourceClaims: [{name: device, resourceClaimTemplateName: one-device}]
      containers:
        - name: c
          image: "busybox:1"
          command: [sh, -c, ${JSON.stringify(script)}]
          resources: {claims: [{name: device}]}
`;

interface Place {
  readonly pod: string;
  readonly node: string;
  readonly device: string;
}

describe.skipIf(sayWhyNot("devices of claims", lacking))("devices of the lab's driver", () => {
  let cluster: LabCluster;
  /** The directory of a node's driver, and the directory of its kubelet's records. */
  let driverDirectory: (node: string) => string;
  let recordsDirectory: (node: string) => string;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "devices", nodes: 2, devices: 2 });
    const known = await findCluster(cluster.name);
    if (known === undefined) throw new Error("the cluster is known");
    driverDirectory = (name) => nodePaths(known.paths, { name }).devices;
    recordsDirectory = (name) => join(nodePaths(known.paths, { name }).kubeletRoot, "device-claims");
    await withTimeline(cluster, async () => {
      await eventually("both nodes have slices", async () => (await listSlices()).length === 2, 180_000);
      await cluster.apply(manifest);
    });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const listSlices = async () =>
    (await cluster.kubectl("get", "resourceslices", "-o", "name")).split("\n").filter((line) => line !== "");
  const listPods = async () => (await cluster.get<{ items: Pod[] }>("pods", "-l", "app=users")).items;
  const listClaims = async () => (await cluster.get<{ items: ResourceClaim[] }>("resourceclaims")).items;
  const isServing = ({ metadata, status }: Pod) =>
    metadata.deletionTimestamp === undefined &&
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

  /** The devices of the serving pods according to the API; each container has reported the same. */
  async function placesOf(pods: readonly Pod[]): Promise<Place[]> {
    const claims = await listClaims();
    return Promise.all(
      pods.map(async ({ metadata, spec, status }) => {
        const claimName = status?.resourceClaimStatuses?.[0]?.resourceClaimName;
        const claim = claims.find((each) => each.metadata.name === claimName);
        const [result, ...others] = claim?.status?.allocation?.devices?.results ?? [];
        expect(others).toEqual([]);
        // A container that detected another container has exited.
        expect(status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0]);
        const { name = "" } = metadata;
        const device = result?.device ?? "";
        const index = device.replace("device-", "");
        expect(await cluster.kubectl("logs", name)).toBe(
          `has /dev/lab/${device} as LAB_DEVICE_${index}=/dev/lab/${device}\n`,
        );
        expect(result?.pool).toBe(spec?.nodeName);
        return { pod: name, node: spec?.nodeName ?? "", device };
      }),
    );
  }

  const serving = (count: number, what: string) =>
    eventually(
      what,
      async () => {
        const pods = (await listPods()).filter(isServing);
        return pods.length === count ? pods : undefined;
      },
      240_000,
    );
  const distinct = (places: readonly Place[]) => new Set(places.map(({ node, device }) => `${node}/${device}`)).size;
  const isEmpty = async (directory: string) => (await readdir(directory).catch(() => [])).length === 0;

  /** Injects faults into the node's driver, and returns the file to remove. */
  async function faultsOn(node: string, faults: { nodePrepareResources?: object; broken?: string[] }): Promise<string> {
    const file = join(driverDirectory(node), "faults.json");
    await mkdir(driverDirectory(node), { recursive: true });
    await writeFile(file, JSON.stringify(faults));
    return file;
  }

  async function deleteOneOn(node: string): Promise<Pod> {
    const pod = (await listPods()).find(({ spec, ...each }) => spec?.nodeName === node && isServing({ spec, ...each }));
    if (pod === undefined) throw new Error(`a pod serves on ${node}`);
    await cluster.kubectl("delete", "pod", pod.metadata.name ?? "", "--wait=false");
    return pod;
  }

  test("four pods run with four devices of two nodes, and the fifth waits", async () => {
    await withTimeline(cluster, async () => {
      const pods = await serving(4, "four pods serve");
      expect(distinct(await placesOf(pods))).toBe(4);
      const [waiting] = (await listPods()).filter((pod) => !isServing(pod));
      expect(waiting?.status?.phase).toBe("Pending");
      const [condition] = waiting?.status?.conditions?.filter(({ type }) => type === "PodScheduled") ?? [];
      expect(condition).toMatchObject({ status: "False", reason: "Unschedulable" });
      const table = await cluster.kubectl("get", "resourceclaims", "--no-headers");
      expect(table.match(/allocated,reserved/g)).toHaveLength(4);
      expect(table.match(/pending/g)).toHaveLength(1);
      const described = await cluster.kubectl("describe", "resourceclaim");
      expect(described.match(/Pool: +node-[12]/g)).toHaveLength(4);
    });
  });

  test("the device of a deleted pod is assigned to the waiting pod", async () => {
    await withTimeline(cluster, async () => {
      const gone = await deleteOneOn("node-1");
      await eventually(
        "another pod has the device",
        async () => {
          const pods = (await listPods()).filter(isServing);
          return pods.length === 4 && !pods.some(({ metadata }) => metadata.uid === gone.metadata.uid);
        },
        240_000,
      );
      expect(distinct(await placesOf((await listPods()).filter(isServing)))).toBe(4);
    });
  });

  test("a kubelet that is killed in the middle of a preparation continues with it", async () => {
    await withTimeline(cluster, async () => {
      const faults = await faultsOn("node-1", { nodePrepareResources: { hangs: true } });
      await deleteOneOn("node-1");
      // The driver has been called for a claim that is recorded and not prepared.
      await eventually(
        "a claim is being prepared",
        async () => (await cluster.kubectl("get", "pods", "-l", "app=users")).includes("ContainerCreating"),
        120_000,
      );
      const records = async () => (await readdir(recordsDirectory("node-1"))).filter((name) => name.endsWith(".json"));
      await eventually("both claims are recorded", async () => (await records()).length === 2, 120_000);
      process.kill(await cluster.pidOf("kubelet@node-1"), "SIGKILL");
      await rm(faults);
      const pods = await serving(4, "four pods serve again");
      expect(distinct(await placesOf(pods))).toBe(4);
    });
  });

  test("a driver's error causes an event, and the pod runs when the driver works again", async () => {
    await withTimeline(cluster, async () => {
      const faults = await faultsOn("node-2", {
        nodePrepareResources: { error: { code: "INTERNAL", message: "the device is too hot" } },
      });
      await deleteOneOn("node-2");
      await eventually(
        "the event is there",
        async () =>
          (await cluster.kubectl("get", "events", "-o", "custom-columns=M:.message")).includes(
            "Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: the device is too hot",
          ),
        120_000,
      );
      await rm(faults);
      expect(distinct(await placesOf(await serving(4, "four pods serve again")))).toBe(4);
    });
  });

  test("a driver that is killed restarts: its pods continue, and its devices are assigned again", async () => {
    await withTimeline(cluster, async () => {
      const before = (await listPods()).filter(isServing).map(({ metadata }) => metadata.uid);
      process.kill(await cluster.pidOf("device-lab@node-1"), "SIGKILL");
      await deleteOneOn("node-1");
      const pods = await serving(4, "four pods serve again");
      expect(distinct(await placesOf(pods))).toBe(4);
      expect(pods.filter(({ metadata }) => before.includes(metadata.uid))).toHaveLength(3);
      await eventually("both nodes have slices", async () => (await listSlices()).length === 2, 120_000);
    });
  });

  test("a device breaks: its pod is evicted, and another runs as soon as a device is free", async () => {
    await withTimeline(cluster, async () => {
      await cluster.kubectl("scale", "deployment", "users", "--replicas=3");
      const places = await placesOf(await serving(3, "three pods serve"));
      const broken = places.find(({ node }) => node === "node-1");
      if (broken === undefined) throw new Error("a pod serves on node-1");
      const faults = await faultsOn("node-1", { broken: [broken.device] });
      const evicted = async () => !(await listPods()).some(({ metadata }) => metadata.name === broken.pod);
      await eventually("the pod of the broken device is gone", evicted, 120_000);
      const after = await placesOf(await serving(3, "three pods serve on whole devices"));
      expect(distinct(after)).toBe(3);
      expect(after).not.toContainEqual(expect.objectContaining({ node: broken.node, device: broken.device }));
      const events = await cluster.kubectl("get", "events", "--field-selector", "reason=DeviceTaintManagerEviction");
      expect(events).toContain(`Marking for deletion Pod default/${broken.pod}`);
      await rm(faults);
      await cluster.kubectl("scale", "deployment", "users", "--replicas=4");
      expect(distinct(await placesOf(await serving(4, "four pods serve again")))).toBe(4);
    });
  });

  test("a node fails: its pods run on the other node as far as devices are free", async () => {
    await withTimeline(cluster, async () => {
      await cluster.kubectl("scale", "deployment", "users", "--replicas=2");
      await eventually("two pods are left", async () => (await listPods()).length === 2, 120_000);
      await cluster.kintsugi("node", "kill", "node-2");
      await eventually(
        "two pods serve on node-1",
        async () => {
          const pods = (await listPods()).filter((pod) => isServing(pod) && pod.spec?.nodeName === "node-1");
          return pods.length === 2 ? pods : undefined;
        },
        240_000,
      );
      const pods = (await listPods()).filter((pod) => isServing(pod) && pod.spec?.nodeName === "node-1");
      expect(distinct(await placesOf(pods))).toBe(2);
      await cluster.kintsugi("node", "return", "node-2");
      await eventually(
        "node-2 is ready",
        async () => {
          const { status } = await cluster.get<KubernetesObject>("node", "node-2");
          return status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
        },
        180_000,
      );
    });
  });

  test("pods that no longer exist do not leave a claim, a record or a prepared device", async () => {
    await withTimeline(cluster, async () => {
      await cluster.kubectl("delete", "deployment", "users", "--wait=true");
      await eventually("no claim is left", async () => (await listClaims()).length === 0, 240_000);
      for (const node of ["node-1", "node-2"]) {
        await eventually(`${node} has no record`, () => isEmpty(recordsDirectory(node)), 240_000);
        const claims = join(driverDirectory(node), "claims");
        await eventually(`${node}'s driver has no claim`, () => isEmpty(claims), 240_000);
      }
      expect(await listClaims()).toEqual([]);
    });
  });
});
