import {
  apiVersionOf,
  bytesQuantity,
  type CSINode,
  memoryBytes,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumes,
  type StorageClass,
  type VolumeAttributesClass,
  volumeSnapshots,
  withoutUndefined,
} from "@kintsugi/api";
import type { CreateVolumeRequest, CsiVolume, Topology, VolumeContentSource } from "@kintsugi/csi";
import { provisionedByAnnotation, provisionerAnnotations, selectedNodeAnnotation } from "@kintsugi/rules";
import { capabilitiesOf } from "../capabilities.ts";
import { provisionerFinalizer } from "../finalizers.ts";
import {
  deletionSecretAnnotations,
  driverParameters,
  secretOfClass,
  type SecretPlace,
  type SecretUse,
} from "../secrets.ts";

/** Keys of a class with this prefix are for the provisioner, not for the driver. */
const ownPrefix = "csi.storage.k8s.io/";
const defaultFsType = "ext4";

/** A claim for which the driver has to create a volume. */
export interface ProvisioningTask {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** The objects that a claim names and that the request for its volume needs. */
export interface ProvisioningInputs {
  readonly source?: VolumeContentSource | undefined;
  readonly attributesClass?: VolumeAttributesClass | undefined;
}

/** Reports whether this driver has to create a volume for the claim. */
export function isToProvision(
  { metadata, spec }: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  driverName: string,
): storageClass is StorageClass {
  if (metadata.deletionTimestamp !== undefined || (spec?.volumeName ?? "") !== "") return false;
  if (!provisionerAnnotations.some((key) => metadata.annotations?.[key] === driverName)) return false;
  if (storageClass?.provisioner !== driverName || isPopulated(spec)) return false;
  return (
    storageClass.volumeBindingMode !== "WaitForFirstConsumer" ||
    metadata.annotations?.[selectedNodeAnnotation] !== undefined
  );
}

/**
 * A source of a kind that drivers do not support belongs to a populator, which fills the volume
 * itself.
 */
function isPopulated(spec: PersistentVolumeClaim["spec"]): boolean {
  const { apiGroup = "", kind } = spec?.dataSourceRef ?? {};
  if (kind === undefined) return false;
  const isClaim = apiGroup === "" && kind === "PersistentVolumeClaim";
  return !isClaim && !(apiGroup === volumeSnapshots.group && kind === volumeSnapshots.kind);
}

/** Returns the volume's name for a claim, by which a repeated attempt finds it again. */
export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

export interface DriverNodes {
  readonly driverName: string;
  readonly csiNodes: readonly CSINode[];
  readonly findNode: (name: string) => Node | undefined;
}

/**
 * Returns the request for the claim's volume: in the zone of the node that the scheduler chose, or
 * else in any zone in which the driver has nodes.
 */
export function planRequest(
  task: ProvisioningTask,
  nodes: DriverNodes,
  { source, attributesClass }: ProvisioningInputs = {},
): CreateVolumeRequest {
  const { claim, storageClass } = task;
  const { spec } = claim;
  const topologies = topologiesFor(claim.metadata.annotations?.[selectedNodeAnnotation], nodes);
  return {
    name: volumeNameOf(claim),
    capacityRange: { requiredBytes: memoryBytes(spec?.resources?.requests?.["storage"]), limitBytes: 0 },
    volumeCapabilities: capabilitiesOf({ ...spec, fsType: fsTypeOf(storageClass) }),
    parameters: driverParameters(storageClass),
    ...(source === undefined ? {} : { volumeContentSource: source }),
    ...(attributesClass === undefined ? {} : { mutableParameters: { ...attributesClass.parameters } }),
    ...(topologies.length === 0 ? {} : { accessibilityRequirements: { requisite: topologies, preferred: topologies } }),
  };
}

/**
 * Returns the PersistentVolume for the volume that the driver has created. The PersistentVolume
 * names the claim.
 */
export function planPersistentVolume(
  { claim, storageClass }: ProvisioningTask,
  driverName: string,
  { volume, attributesClass }: { volume: CsiVolume; attributesClass?: VolumeAttributesClass | undefined },
): PersistentVolume {
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  const volumeName = volumeNameOf(claim);
  const secretFor = (use: SecretUse) => secretOfClass(storageClass, use, { claim, volumeName });
  const { accessModes, volumeMode = "Filesystem" } = claim.spec ?? {};
  const terms = volume.accessibleTopology.map(({ segments }) => ({
    matchExpressions: Object.entries(segments).map(([key, value]) => ({
      key,
      operator: "In" as const,
      values: [value],
    })),
  }));
  return {
    apiVersion: apiVersionOf(persistentVolumes),
    kind: persistentVolumes.kind,
    metadata: {
      name: volumeName,
      annotations: {
        [provisionedByAnnotation]: driverName,
        ...deletionSecretAnnotations(secretFor("provisioner")),
      },
      finalizers: [provisionerFinalizer],
    },
    spec: {
      capacity: { storage: bytesQuantity(volume.capacityBytes) },
      accessModes: [...(accessModes ?? [])],
      volumeMode,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name ?? "",
      mountOptions: [...(storageClass.mountOptions ?? [])],
      ...(attributesClass === undefined ? {} : { volumeAttributesClassName: attributesClass.metadata.name ?? "" }),
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      csi: {
        driver: driverName,
        volumeHandle: volume.volumeId,
        volumeAttributes: { ...volume.volumeContext },
        ...(volumeMode === "Block" ? {} : { fsType: fsTypeOf(storageClass) }),
        ...secretFieldsOf(secretFor),
      },
      ...(terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  };
}

/** Each Secret that the class names for a later call is stored in the volume. */
function secretFieldsOf(secretFor: (use: SecretUse) => SecretPlace | undefined) {
  const fields = {
    controllerPublishSecretRef: secretFor("controller-publish"),
    nodeStageSecretRef: secretFor("node-stage"),
    nodePublishSecretRef: secretFor("node-publish"),
    controllerExpandSecretRef: secretFor("controller-expand"),
    nodeExpandSecretRef: secretFor("node-expand"),
  };
  return withoutUndefined(fields);
}

function fsTypeOf({ parameters }: StorageClass): string {
  return parameters?.[`${ownPrefix}fstype`] ?? defaultFsType;
}

/**
 * Returns the driver's topology segments: the segment of the chosen node, or else the segments of
 * all its nodes.
 */
export function topologiesFor(
  selectedNode: string | undefined,
  { driverName, csiNodes, findNode }: DriverNodes,
): Topology[] {
  const found = new Map<string, Topology>();
  for (const { metadata, spec } of csiNodes) {
    if (selectedNode !== undefined && metadata.name !== selectedNode) continue;
    const keys = spec.drivers.find(({ name }) => name === driverName)?.topologyKeys ?? [];
    const labels = findNode(metadata.name ?? "")?.metadata.labels ?? {};
    const segments = keys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const]));
    // The labels are set a moment after the keys, and a partial topology identifies no segment.
    if (keys.length === 0 || segments.length < keys.length) continue;
    found.set(JSON.stringify(segments), { segments: Object.fromEntries(segments) });
  }
  return [...found.keys()].toSorted().flatMap((key) => found.get(key) ?? []);
}
