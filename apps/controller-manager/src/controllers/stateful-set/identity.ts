import {
  controllerReference,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplateSpec,
  type StatefulSet,
  statefulSets,
  controllerRevisionHashLabel,
} from "@kintsugi/api";

// The identity of a pod: the values that remain the same whenever the pod is created again.
//
//   StatefulSet web, service nginx, claim template data, ordinal 1
//   → pod web-1, host name web-1, subdomain nginx, claim data-web-1

export const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";

/** A larger ordinal exceeds 32 bits, and no set has such a pod. */
const ordinalMax = 2 ** 31 - 1;

export function podNameOf(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** The ordinal in the name of a pod of the set; undefined if the set does not generate the name. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const { name = "" } = metadata;
  const prefix = `${set.metadata.name}-`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  if (!/^(?:0|[1-9]\d{0,9})$/.test(digits)) return undefined;
  const ordinal = Number(digits);
  return ordinal <= ordinalMax ? ordinal : undefined;
}

export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/**
 * The number of wanted pods. A pod beyond the largest ordinal would never count as a pod of the
 * set.
 */
export function countOrdinals(set: StatefulSet): number {
  return Math.min(set.spec?.replicas ?? 1, ordinalMax - startOrdinal(set) + 1);
}

/** Reports whether the pod's ordinal is a wanted ordinal. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const index = ordinal - startOrdinal(set);
  return index >= 0 && index < countOrdinals(set);
}

export function claimNameOf(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${podNameOf(set, ordinal)}`;
}

/** The claims of the pod with this ordinal, as they are created. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: claimNameOf(set, template, ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata.labels, ...set.spec?.selector.matchLabels },
    },
  }));
}

/** A new pod of the set with this ordinal, made from the template of a revision. */
export function podFromRevision(
  set: StatefulSet,
  ordinal: number,
  { name: revision, template }: { name: string; template: PodTemplateSpec },
): Pod {
  const { metadata = {}, spec = { containers: [] } } = template;
  const name = podNameOf(set, ordinal);
  const { namespace } = set.metadata;
  const volumes = volumesWithClaims(set, ordinal, spec.volumes);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...metadata.labels,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
        [controllerRevisionHashLabel]: revision,
      },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
      ownerReferences: [controllerReference(set, statefulSets)],
    },
    spec: {
      ...spec,
      ...(volumes.length === 0 ? {} : { volumes }),
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
    },
  };
}

type Volumes = NonNullable<NonNullable<Pod["spec"]>["volumes"]>;

/** Claims take precedence over volumes of the same name. */
export function volumesWithClaims(set: StatefulSet, ordinal: number, volumes: Volumes = []): Volumes {
  const templates = set.spec?.volumeClaimTemplates ?? [];
  const claimed = new Set(templates.map(({ metadata }) => metadata.name ?? ""));
  return [
    ...templates.map((template) => ({
      name: template.metadata.name ?? "",
      persistentVolumeClaim: { claimName: claimNameOf(set, template, ordinal) },
    })),
    ...volumes.filter(({ name }) => !claimed.has(name)),
  ];
}

/** The pod is labelled with its name, and mounts the claims of its ordinal. */
export function hasIdentity(set: StatefulSet, ordinal: number, pod: Pod): boolean {
  if (pod.metadata.labels?.[podNameLabel] !== pod.metadata.name) return false;
  const mounted = new Map(
    (pod.spec?.volumes ?? []).map(({ name, persistentVolumeClaim }) => [name, persistentVolumeClaim?.claimName]),
  );
  return (set.spec?.volumeClaimTemplates ?? []).every(
    (template) => mounted.get(template.metadata.name ?? "") === claimNameOf(set, template, ordinal),
  );
}

export function revisionNameOf({ metadata }: Pod): string {
  return metadata.labels?.[controllerRevisionHashLabel] ?? "";
}
