import {
  controllerReference,
  type DaemonSet,
  daemonSets,
  type Pod,
  type PodSpec,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { withDaemonTolerations } from "@kintsugi/rules";
import { podNamePrefix } from "../../shared/writes/generated-name.ts";

const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** A new pod of the set, which the scheduler can bind only to this node. */
export function daemonPod(set: DaemonSet, { name, node, hash }: { name: string; node: string; hash: string }): Pod {
  const { metadata = {}, spec } = set.spec?.template ?? {};
  const { namespace, annotations } = set.metadata;
  const generation = annotations?.[generationAnnotation];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: podNamePrefix(set),
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...metadata.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [controllerRevisionHashLabel]: hash,
      },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
      ownerReferences: [controllerReference(set, daemonSets)],
    },
    ...(spec ? { spec: pinned(spec, node) } : {}),
  };
}

/**
 * The node on which a daemon pod runs, or to which it will be bound; undefined for an adopted pod
 * that does not name a node.
 */
export function targetNodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const field = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (field !== undefined) return field.values?.length === 1 ? field.values[0] : undefined;
  }
  return undefined;
}

/**
 * The node's name replaces the template's own terms, because the node has already been compared
 * with these terms.
 */
function pinned(spec: PodSpec, node: string): PodSpec {
  const required = {
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }],
  };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: required,
  };
  return { ...spec, tolerations: withDaemonTolerations(spec), affinity: { ...spec.affinity, nodeAffinity } };
}
