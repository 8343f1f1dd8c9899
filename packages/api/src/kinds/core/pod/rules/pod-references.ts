import type { Container } from "../spec/container.ts";
import type { Pod } from "../pod.ts";
import type { Volume } from "../volumes/volume.ts";
import { claimOfVolume } from "./volume-claims.ts";

/** The objects that a kubelet has to read to run a pod, all in the pod's namespace. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly persistentVolumeClaims: ReadonlySet<string>;
  /** ResourceClaims, including claims that were made for the pod. */
  readonly resourceClaims: ReadonlySet<string>;
  /** "" if the pod has no service account. */
  readonly serviceAccount: string;
}

/** Visits the same fields as upstream's VisitPodSecretNames and VisitPodConfigmapNames. */
export function referencesOf(pod: Pod): PodReferences {
  const { spec } = pod;
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const volumes = spec?.volumes ?? [];
  const pullSecrets = (spec?.imagePullSecrets ?? []).map(({ name }) => name);
  return {
    secrets: nonEmpty([...pullSecrets, ...containers.flatMap(secretsOfContainer), ...volumes.flatMap(secretsOfVolume)]),
    configMaps: nonEmpty([...containers.flatMap(configMapsOfContainer), ...volumes.flatMap(configMapsOfVolume)]),
    persistentVolumeClaims: nonEmpty(volumes.map((volume) => claimOfVolume(volume, pod.metadata.name ?? ""))),
    resourceClaims: nonEmpty(deviceClaimsOf(pod)),
    serviceAccount: spec?.serviceAccountName ?? "",
  };
}

/** Only controllers write the status, so a node cannot assign itself a claim. */
function deviceClaimsOf({ spec, status }: Pod): (string | undefined)[] {
  return [
    ...(spec?.resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName),
    ...(status?.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName),
    status?.extendedResourceClaimStatus?.resourceClaimName,
  ];
}

function secretsOfContainer({ env, envFrom }: Pick<Container, "env" | "envFrom">): (string | undefined)[] {
  return [
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
  ];
}

function configMapsOfContainer({ env, envFrom }: Pick<Container, "env" | "envFrom">): (string | undefined)[] {
  return [
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
  ];
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  ];
}

function configMapsOfVolume(volume: Volume): (string | undefined)[] {
  return [volume.configMap?.name, ...(volume.projected?.sources ?? []).map(({ configMap }) => configMap?.name)];
}

function nonEmpty(names: readonly (string | undefined)[]): Set<string> {
  return new Set(names.filter((name): name is string => name !== undefined && name !== ""));
}
