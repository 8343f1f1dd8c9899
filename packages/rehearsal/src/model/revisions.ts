import {
  type ApiObject,
  canonicalJson,
  type ControllerRevision,
  controllerReference,
  type DaemonSet,
  daemonSets,
  isControlledBy,
  type Pod,
  type PodTemplateSpec,
  type ResourceType,
  type StatefulSet,
  statefulSets,
  controllerRevisionHashLabel,
} from "@kintsugi/api";

export interface SetObjects {
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly pods: readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
}

/**
 * The revisions of StatefulSets and DaemonSets, which record the templates as they are in a
 * rehearsal. Without the revision of its present template, a set would replace all of its pods.
 */
export function revisionsOf(objects: SetObjects): ControllerRevision[] {
  const ofStateful = objects.statefulSets.flatMap((set) =>
    revisionsOfSet(set, { type: statefulSets, updateRevision: set.status?.updateRevision }, objects),
  );
  const ofDaemons = objects.daemonSets.flatMap((set) =>
    revisionsOfSet(set, { type: daemonSets, updateRevision: undefined }, objects),
  );
  return [...ofStateful, ...ofDaemons];
}

/** @param updateRevision the name of the present revision, if the set's status has it. */
function revisionsOfSet(
  set: StatefulSet | DaemonSet,
  { type, updateRevision }: { type: ResourceType<ApiObject>; updateRevision: string | undefined },
  { pods, revisions }: SetObjects,
): ControllerRevision[] {
  const own = revisions.filter((revision) => isControlledBy(revision, set)).toSorted((a, b) => a.revision - b.revision);
  const present = own.find(({ metadata }) => metadata.name === updateRevision) ?? own.at(-1);
  const { namespace = "default", name = "" } = set.metadata;
  const hash = hashOf(set, type, { present, updateRevision, pods });
  if (hash === undefined) return [];
  const presentName = present?.metadata.name ?? updateRevision ?? `${name}-${hash}`;
  const recorded: ControllerRevision = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      ...present?.metadata,
      name: presentName,
      namespace,
      uid: present?.metadata.uid ?? `revision-of-${set.metadata.uid ?? name}`,
      labels: {
        ...set.spec?.template?.metadata?.labels,
        [controllerRevisionHashLabel]: hash,
        "controller.kubernetes.io/hash": hash,
      },
      ownerReferences: [controllerReference(set, type)],
    },
    data: dataOf(set.spec?.template ?? {}),
    revision: present?.revision ?? (own.at(-1)?.revision ?? 0) + 1,
  };
  return [...own.filter((revision) => revision !== present), recorded];
}

/** The hash that the pods of the present template have as a label. */
function hashOf(
  set: StatefulSet | DaemonSet,
  type: ResourceType<ApiObject>,
  known: { present: ControllerRevision | undefined; updateRevision: string | undefined; pods: readonly Pod[] },
): string | undefined {
  const labelled = known.present?.metadata.labels?.[controllerRevisionHashLabel];
  if (labelled !== undefined) return labelled;
  if (type.kind === statefulSets.kind && known.updateRevision !== undefined) return known.updateRevision;
  const newest = known.pods
    .filter((pod) => isControlledBy(pod, set))
    .toSorted((a, b) => ((a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? 1 : -1))[0];
  return newest?.metadata.labels?.[controllerRevisionHashLabel];
}

/** The record of a template, as the controllers of sets write and compare it. */
function dataOf(template: PodTemplateSpec): NonNullable<ControllerRevision["data"]> {
  const metadata = { ...template.metadata, creationTimestamp: null };
  return JSON.parse(canonicalJson({ spec: { template: { ...template, metadata, $patch: "replace" } } })) as NonNullable<
    ControllerRevision["data"]
  >;
}
