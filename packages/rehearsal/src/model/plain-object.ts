import type { ApiObject, ContainerStatus, Pod, PodTemplateSpec } from "@kintsugi/api";
import { configAnnotations, podQosClass } from "@kintsugi/api";
import { plainPodSpec } from "./plain-pod-spec.ts";

/** Annotations that contain a whole object, or that are meaningless in a rehearsal. */
const droppedAnnotations: ReadonlySet<string> = new Set(["kubectl.kubernetes.io/last-applied-configuration"]);
/** Pod security levels check fields that a rehearsal does not keep. */
const podSecurityPrefix = "pod-security.kubernetes.io/";

/** Names the owner of an object if that owner is not in the rehearsal: "Cluster postgres". */
export const lostOwnerAnnotation = "rehearsal.kintsugi.dev/lost-owner";

interface Templated extends ApiObject {
  spec?: { template?: PodTemplateSpec | undefined } | undefined;
}

/** The object as it is in a rehearsal; `owners` are the UIDs of all objects in the rehearsal. */
export function plainObject(object: ApiObject, owners: ReadonlySet<string>): ApiObject {
  const { annotations, ownerReferences, ...metadata } = object.metadata;
  const keptAnnotations = entriesWithout(annotations, (key) => droppedAnnotations.has(key));
  const keptOwners = ownerReferences?.filter(({ uid }) => owners.has(uid));
  const lost = ownerReferences?.find(({ controller, uid }) => controller === true && !owners.has(uid));
  const owned = lost === undefined ? {} : { [lostOwnerAnnotation]: `${lost.kind} ${lost.name}` };
  const annotated = { ...keptAnnotations, ...owned };
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(Object.keys(annotated).length === 0 ? {} : { annotations: annotated }),
      ...(keptOwners === undefined || keptOwners.length === 0 ? {} : { ownerReferences: keptOwners }),
    },
  };
}

/** A workload whose template has lost the same fields as its pods. */
export function plainWorkload(object: ApiObject): ApiObject {
  const { spec } = object as Templated;
  if (spec?.template === undefined) return object;
  return { ...object, spec: { ...spec, template: plainTemplate(spec.template) } } as ApiObject;
}

function plainTemplate(template: PodTemplateSpec): PodTemplateSpec {
  return template.spec === undefined ? template : { ...template, spec: plainPodSpec(template.spec) };
}

export function plainNamespace(object: ApiObject): ApiObject {
  const { labels, ...metadata } = object.metadata;
  const kept = entriesWithout(labels, (key) => key.startsWith(podSecurityPrefix));
  return { ...object, metadata: { ...metadata, ...(kept === undefined ? {} : { labels: kept }) } };
}

/**
 * A pod whose containers have the names that the runtime of a rehearsal assigns. The mirror of a
 * static pod becomes an ordinary pod, because its manifest is absent in a rehearsal.
 */
export function plainPod(pod: Pod): Pod {
  const mirrors = new Set<string>(Object.values(configAnnotations));
  const annotations = entriesWithout(pod.metadata.annotations, (key) => mirrors.has(key));
  const { annotations: _, ...metadata } = pod.metadata;
  const spec = pod.spec === undefined ? undefined : plainPodSpec(pod.spec);
  return {
    ...pod,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    ...(spec === undefined ? {} : { spec }),
    ...(pod.status === undefined
      ? {}
      : {
          status: {
            ...pod.status,
            // The kubelet of a rehearsal writes the QoS class of the plain spec, and the class is
            // immutable.
            qosClass: podQosClass({ ...pod, spec }),
            containerStatuses: pod.status.containerStatuses?.map(withOwnId) ?? [],
            initContainerStatuses: pod.status.initContainerStatuses?.map(withOwnId) ?? [],
          },
        }),
  };
}

function withOwnId(status: ContainerStatus): ContainerStatus {
  const id = /:\/\/(.+)$/.exec(status.containerID ?? "")?.[1];
  const { resources: _, allocatedResources: _allocated, ...kept } = status;
  return id === undefined ? kept : { ...kept, containerID: `containerd://${id}` };
}

function entriesWithout(
  entries: Readonly<Record<string, string>> | undefined,
  isDropped: (key: string) => boolean,
): Record<string, string> | undefined {
  if (entries === undefined) return undefined;
  const kept = Object.entries(entries).filter(([key]) => !isDropped(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
