import { avoidNodesAnnotation, controllerReference, type Pod, type ReplicaSet, type ResourceType } from "@kintsugi/api";
import { podNamePrefix } from "../writes/generated-name.ts";

/** A new pod of the set, which avoids `avoid`: nodes on which its predecessors have failed. */
export function podFromTemplate(
  set: ReplicaSet,
  { name, ownerType, avoid = [] }: { name: string; ownerType: ResourceType; avoid?: readonly string[] | undefined },
): Pod {
  const { metadata = {}, spec } = set.spec?.template ?? {};
  const annotations =
    avoid.length === 0 ? metadata.annotations : { ...metadata.annotations, [avoidNodesAnnotation]: avoid.join(",") };
  const { namespace } = set.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: podNamePrefix(set),
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata.labels ? { labels: metadata.labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
      ownerReferences: [controllerReference(set, ownerType)],
    },
    ...(spec ? { spec } : {}),
  };
}
