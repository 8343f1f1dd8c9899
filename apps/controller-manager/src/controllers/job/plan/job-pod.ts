import {
  type Container,
  controllerReference,
  type Job,
  jobAnnotations,
  jobs,
  jobTrackingFinalizer,
  type Pod,
} from "@kintsugi/api";
import { namePrefixLengthMax } from "../../../shared/writes/generated-name.ts";
import { indexFailures } from "./count-pods.ts";
import { judgeFailure } from "./policies.ts";

const indexVariable = "JOB_COMPLETION_INDEX";

/** A pod to be created: its name, its index, and the pod of that index that it replaces. */
export interface NewPod {
  name: string;
  index: number | undefined;
  replaced: Pod | undefined;
}

/** The name of the Job may be cut, but the index must be complete. */
export function jobPodNamePrefix({ metadata }: Job, index: number | undefined): string {
  const suffix = index === undefined ? "-" : `-${index}-`;
  return (metadata.name ?? "").slice(0, namePrefixLengthMax - suffix.length) + suffix;
}

export function jobPod(job: Job, { name, index, replaced }: NewPod): Pod {
  const { metadata = {}, spec } = job.spec?.template ?? {};
  const { namespace } = job.metadata;
  const indexed = index === undefined ? undefined : String(index);
  const labels =
    indexed === undefined ? metadata.labels : { ...metadata.labels, [jobAnnotations.completionIndex]: indexed };
  const annotations =
    indexed === undefined
      ? metadata.annotations
      : {
          ...metadata.annotations,
          [jobAnnotations.completionIndex]: indexed,
          ...(job.spec?.backoffLimitPerIndex === undefined ? {} : failureAnnotations(job, replaced)),
        };
  const finalizers = metadata.finalizers ?? [];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: jobPodNamePrefix(job, index),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      finalizers: finalizers.includes(jobTrackingFinalizer) ? finalizers : [...finalizers, jobTrackingFinalizer],
      ownerReferences: [controllerReference(job, jobs)],
    },
    ...(spec === undefined || indexed === undefined
      ? { spec }
      : {
          spec: {
            ...spec,
            hostname: `${job.metadata.name ?? ""}-${indexed}`,
            containers: spec.containers.map(withIndexVariable),
            ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndexVariable) } : {}),
          },
        }),
  };
}

/** The number of the index's failures is passed from pod to pod. */
function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  const before = replaced === undefined ? { counted: 0, ignored: 0 } : indexFailures(replaced);
  const counts = replaced === undefined || job.spec === undefined || judgeFailure(job.spec, replaced).counts;
  const counted = before.counted + (replaced !== undefined && counts ? 1 : 0);
  const ignored = before.ignored + (counts ? 0 : 1);
  return {
    [jobAnnotations.indexFailures]: String(counted),
    ...(ignored === 0 ? {} : { [jobAnnotations.indexIgnoredFailures]: String(ignored) }),
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${jobAnnotations.completionIndex}']`;
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }] };
}
