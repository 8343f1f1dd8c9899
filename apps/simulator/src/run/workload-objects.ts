import {
  type ApiObject,
  apiVersionOf,
  type ConfigMap,
  type Container,
  type DeviceClass,
  type PodDisruptionBudget,
  podEscalationAnnotation,
  podFenceAnnotation,
  rebalanceAnnotation,
  type PodSpec,
  type PriorityClass,
  type ResourceClaimTemplate,
  type ResourceQuota,
  type Secret,
  type Service,
  type StorageClass,
  type Toleration,
  type TopologySpreadConstraint,
  type VolumeAttributesClass,
  volumeAttributesClasses,
  type VolumeSnapshotClass,
  volumeSnapshotClasses,
  zoneLabel,
  hostnameLabel,
} from "@kintsugi/api";
import {
  aTemplate,
  attributesClassNames,
  claimTemplateName,
  kindOf,
  type ScenarioQuota,
  type ScenarioWorkload,
  snapshotClassNames,
} from "@kintsugi/simulation";
import { virtualDevicesName } from "../cluster/virtual-devices.ts";
import { virtualDriverName } from "../cluster/virtual-storage.ts";

/** The PriorityClass of pods of important workloads; other pods have priority 0. */
export const importantClass: PriorityClass = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "important" },
  value: 1000,
};

const probe = { tcpSocket: { port: 80 }, periodSeconds: 2 };

export function aQuota({ pods, cpu }: ScenarioQuota): ResourceQuota {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "quota", namespace: "default" },
    spec: { hard: { pods: `${pods}`, ...(cpu === undefined ? {} : { "requests.cpu": cpu }) } },
  };
}

/** The object that a scenario's workload represents. */
export function workloadObject(workload: ScenarioWorkload): ApiObject {
  const { name, cpu } = workload;
  const template = aTemplate(name, cpu === undefined ? {} : { cpu });
  const [container] = template.spec?.containers ?? [];
  if (container) Object.assign(container, containerTraits(workload, container));
  if (template.spec) Object.assign(template.spec, podTraits(workload));
  const annotations = podAnnotations(workload);
  if (template.metadata && Object.keys(annotations).length > 0) template.metadata.annotations = annotations;
  const object = kindOf(workload).make(workload, template);
  if (workload.rebalance !== undefined)
    object.metadata.annotations = { ...object.metadata.annotations, [rebalanceAnnotation]: `${workload.rebalance}` };
  return object;
}

function podAnnotations({ escalation, fenced }: ScenarioWorkload): Record<string, string> {
  return {
    ...(escalation === undefined ? {} : { [podEscalationAnnotation]: escalation }),
    ...(fenced ? { [podFenceAnnotation]: "true" } : {}),
  };
}

/**
 * Returns the objects that a workload with volumes mounts; the Secret's value is long enough to be
 * recognized everywhere.
 */
export function mountedObjects({ name }: ScenarioWorkload): { settings: ConfigMap; password: Secret } {
  const value = `the password of ${name} which no other identity may read`;
  const metadata = { name, namespace: "default" };
  return {
    settings: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "color.conf": "blue" } },
    password: { apiVersion: "v1", kind: "Secret", metadata, data: { password: Buffer.from(value).toString("base64") } },
  };
}

function mounts(name: string, { volumes, claims }: { volumes: boolean; claims: boolean }): Partial<Container> {
  return {
    ...(volumes ? { env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name, key: "password" } } }] } : {}),
    volumeMounts: [
      ...(volumes
        ? [
            { name: "settings", mountPath: "/etc/settings" },
            { name: "password", mountPath: "/etc/password", readOnly: true },
          ]
        : []),
      ...(claims ? [{ name: claimTemplateName, mountPath: "/data" }] : []),
    ],
  };
}

/** The StorageClass of all claims: a disk is created where the scheduler has placed the pod. */
export const diskClass: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disks", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: virtualDriverName,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
};

/** The class of all devices. */
export const deviceClass: DeviceClass = {
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name: virtualDevicesName },
  spec: {},
};

/** The template of the claims of pods with a device. */
export const deviceTemplate: ResourceClaimTemplate = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "one-device", namespace: "default" },
  spec: {
    metadata: {},
    spec: { devices: { requests: [{ name: "device", exactly: { deviceClassName: virtualDevicesName } }] } },
  },
};

function containerTraits(
  { name, probes, liveness, memory, script, volumes, claims, devices }: ScenarioWorkload,
  { resources }: Container,
): Partial<Container> {
  return {
    ...(volumes || claims ? mounts(name, { volumes: volumes === true, claims: claims === true }) : {}),
    // An image with a shell, which the runtime of a simulated node executes as written.
    ...(script === undefined ? {} : { image: "busybox:1.36", command: ["sh", "-c", script] }),
    ...(probes ? { readinessProbe: probe, livenessProbe: probe } : {}),
    ...(liveness === undefined
      ? {}
      : {
          livenessProbe: {
            exec: { command: ["sh", "-c", liveness.exec] },
            periodSeconds: Math.max(1, Math.round(liveness.periodMs / 1000)),
            failureThreshold: liveness.failureThreshold,
          },
        }),
    ...(memory === undefined
      ? {}
      : { resources: { ...resources, requests: { ...resources?.requests, memory }, limits: { memory } } }),
    ...(devices ? { resources: { ...resources, claims: [{ name: "device" }] } } : {}),
  };
}

function podTraits({
  name,
  tolerationSeconds,
  volumes,
  important,
  devices,
  spread,
}: ScenarioWorkload): Partial<PodSpec> {
  return {
    ...(important ? { priorityClassName: importantClass.metadata.name ?? "" } : {}),
    ...(tolerationSeconds === undefined ? {} : { tolerations: tolerationsFor(tolerationSeconds) }),
    ...(spread === undefined ? {} : { topologySpreadConstraints: [spreadOver(spread, name)] }),
    ...(devices
      ? {
          resourceClaims: [{ name: "device", resourceClaimTemplateName: deviceTemplate.metadata.name ?? "" }],
        }
      : {}),
    ...(volumes
      ? {
          volumes: [
            { name: "settings", configMap: { name } },
            { name: "password", secret: { secretName: name } },
          ],
        }
      : {}),
  };
}

function spreadOver(spread: NonNullable<ScenarioWorkload["spread"]>, app: string): TopologySpreadConstraint {
  const topologyKey = spread === "zone" ? zoneLabel : hostnameLabel;
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } };
}

function tolerationsFor(tolerationSeconds: number): Toleration[] {
  return ["not-ready", "unreachable"].map((state): Toleration => ({
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds,
  }));
}

export function aBudget(name: string, minAvailable: number): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  };
}

/** The Service of a workload's pods. */
export function aService(name: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { selector: { app: name }, ports: [{ port: 80, protocol: "TCP" }] },
  };
}

/** The classes of runs with snapshots and changes of attributes. */
export const snapshotClasses: readonly VolumeSnapshotClass[] = snapshotClassNames.map((name) => ({
  apiVersion: apiVersionOf(volumeSnapshotClasses),
  kind: volumeSnapshotClasses.kind,
  metadata: { name },
  driver: virtualDriverName,
  deletionPolicy: name === "retained" ? "Retain" : "Delete",
}));

export const attributesClasses: readonly VolumeAttributesClass[] = attributesClassNames.map((name) => ({
  apiVersion: apiVersionOf(volumeAttributesClasses),
  kind: volumeAttributesClasses.kind,
  metadata: { name },
  driverName: virtualDriverName,
  parameters: { tier: name },
}));
