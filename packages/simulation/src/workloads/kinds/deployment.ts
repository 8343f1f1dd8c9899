import { type Deployment, deployments, matchesLabels, type Pod, sameJson, toSelector } from "@kintsugi/api";
import type { PodTemplateSpec } from "@kintsugi/api";
import { sizedByReplicas, type WorkloadKind } from "../workload-kind.ts";

export const deploymentWorkload: WorkloadKind<Deployment> = {
  type: deployments,
  make: ({ name, replicas }, template) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: template.metadata?.labels ?? {} }, template },
  }),
  wantedPods: ({ spec }) => spec?.replicas ?? 1,
  scaledTo: sizedByReplicas,
  rollOut: {
    patch: (template) => ({ spec: { template } }),
    templateOf: ({ spec }) => spec?.template,
    mendsItself: true,
  },
  unsettled: (deployment, { present }) => notRolledOut(deployment, present),
  events: ["ScalingReplicaSet"],
};

/**
 * Lists the reasons why a Deployment's present version is not rolled out, or is not shown in its
 * status yet.
 */
function notRolledOut({ metadata, spec, status = {} }: Deployment, pods: readonly Pod[]): string[] {
  const wanted = spec?.replicas ?? 1;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  const isDone = counts.every((count = 0) => count === wanted) && status.observedGeneration === metadata.generation;
  const selector = toSelector(spec?.selector);
  const others = pods.filter(
    (pod) => matchesLabels(selector, pod.metadata.labels) && !isOfVersion(pod, spec?.template),
  );
  return [
    ...(isDone ? [] : [`deployment ${metadata.name} requests ${wanted} and reports ${JSON.stringify(status)}`]),
    ...others.map((pod) => `pod ${pod.metadata.name} has a different version than its deployment`),
  ];
}

function isOfVersion(pod: Pod, template: PodTemplateSpec | undefined): boolean {
  const { metadata, spec } = template ?? {};
  const annotations = Object.entries(metadata?.annotations ?? {});
  const images = (containers: readonly { image?: string | undefined }[] = []) => containers.map(({ image }) => image);
  return (
    annotations.every(([name, value]) => pod.metadata.annotations?.[name] === value) &&
    sameJson(images(pod.spec?.containers), images(spec?.containers))
  );
}
