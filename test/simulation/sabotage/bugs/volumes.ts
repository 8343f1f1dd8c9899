import type { PlantedBug } from "../planted-bug.ts";

const forced = "pods with disks are forced from nodes whose kubelets are down";
const fenced = "pods with disks lose a node that is vouched for";

/** Bugs of disks: how they are made, attached, mounted and deleted. */
export const volumeBugs: readonly PlantedBug[] = [
  {
    name: "a kubelet mounts a disk while the container of a removed pod still writes to it",
    file: "apps/kubelet/src/containers/volumes/claims/claim-plugin.ts",
    find: "if (leaving.length === 0) return;",
    replace: "if (leaving.length >= 0) return;",
    caughtBy: "S48",
    life: forced,
    seed: 1,
  },
  {
    name: "a kubelet removes the directory of a removed pod whose containers still run",
    file: "apps/kubelet/src/node/cleanup/housekeeping.ts",
    find: "|| [...pleg.records.values()].some(({ pod }) => pod.uid === uid)",
    replace: "|| pleg.records.size < 0",
    caughtBy: "S48",
    life: forced,
    seed: 1,
  },
  {
    name: "a disk is reported as detached without a call of the driver",
    file: "apps/csi-controller/src/attacher/attacher.ts",
    find: "await driver.controllerUnpublishVolume(",
    replace: "void ((_request: object, _signal: AbortSignal) => driver)(",
    caughtBy: "L2 converges",
    life: fenced,
    seed: 1,
  },
  {
    name: "a kubelet keeps a disk mounted for the node when its last pod has gone",
    file: "apps/kubelet/src/containers/volumes/csi/csi-volumes.ts",
    find: "if (await this.#records.isUsed(record)) return;",
    replace: "if (!(await this.#records.isUsed(record))) return;",
    caughtBy: "L2 converges",
    life: "pods with disks leave a node that works",
    seed: 1,
  },
  {
    name: "a disk is deleted while its claim is there",
    file: "apps/csi-controller/src/provisioner/provisioner.ts",
    find: 'status?.phase === "Released" &&',
    replace: 'status?.phase === "Bound" &&',
    caughtBy: "S50",
    life: fenced,
    seed: 1,
  },
  {
    name: "a kubelet finds the pods of a volume by its records alone",
    file: "apps/kubelet/src/containers/volumes/claims/claim-plugin.ts",
    find: "...(await this.#mountedFor(name))];",
    replace: "...(await this.#mountedFor(name)).slice(0, 0)];",
    caughtBy: "S48",
    life: "pods with disks are forced from kubelets that lose their records",
    seed: 1,
  },
  {
    name: "a claim states a size that its disk does not have",
    file: "apps/csi-controller/src/resizer/plan-resize.ts",
    find: 'if (hasBytes >= wantedBytes) return { kind: "grown", size: bytesQuantity(hasBytes) };',
    replace: 'if (hasBytes <= wantedBytes) return { kind: "grown", size };',
    caughtBy: "L2 converges",
    life: "claims grow while a service dies",
    seed: 1,
  },
  {
    name: "a kubelet leaves a mounted file system as small as it was",
    file: "apps/kubelet/src/containers/volumes/csi/volume-growth.ts",
    find: "await this.#grow(published, claim);",
    replace: "if (claim.spec === undefined) await this.#grow(published, claim);",
    caughtBy: "L2 converges",
    life: "claims grow while a service dies",
    seed: 1,
  },
  {
    name: "a disk gets another name with each attempt to make it",
    file: "apps/csi-controller/src/provisioner/plan-volume.ts",
    find: "name: volumeNameOf(claim),\n    capacityRange",
    replace: "name: `${volumeNameOf(claim)}-${Math.random()}`,\n    capacityRange",
    caughtBy: "L18",
    life: "the service that makes disks dies before it records one",
    seed: 1,
  },
];
