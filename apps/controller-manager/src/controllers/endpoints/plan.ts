import { type Endpoints, headlessLabel, type Pod, sameJson, type Service, triggerTimeAnnotation } from "@kintsugi/api";
import { isHeadless } from "../../shared/service-endpoints/pod-endpoint.ts";
import { planSubsets, truncated } from "./plan-subsets.ts";

const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

export interface ObservedEndpoints {
  service: Service;
  /** The pods that the Service selects. */
  pods: readonly Pod[];
  /** The Service's present Endpoints. */
  current: Endpoints | undefined;
  /** The time of the last change of the Service or its pods. */
  triggerTime: string | undefined;
}

/**
 * Returns the Endpoints to be written for a Service; undefined when the present Endpoints are
 * equal.
 */
export function planEndpoints({ service, pods, current, triggerTime }: ObservedEndpoints): Endpoints | undefined {
  const whole = planSubsets(service, pods);
  const shortened = truncated(whole);
  const subsets = shortened ?? whole;
  const { labels = {}, annotations = {} } = current?.metadata ?? {};
  const { [headlessLabel]: _, ...mirrored } = labels;
  const isTold = (annotations[overCapacityAnnotation] === undefined) === (shortened === undefined);
  const said = [current?.subsets ?? [], mirrored];
  if (current !== undefined && isTold && sameJson(said, [subsets, service.metadata.labels ?? {}])) return undefined;
  const { name, namespace } = service.metadata;
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      ...(current?.metadata ?? { name, namespace }),
      labels: { ...service.metadata.labels, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}) },
      annotations: withNotes(annotations, triggerTime, shortened !== undefined),
    },
    subsets,
  };
}

function withNotes(
  annotations: Readonly<Record<string, string>>,
  triggerTime: string | undefined,
  isTruncated: boolean,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, [overCapacityAnnotation]: __, ...others } = annotations;
  return {
    ...others,
    ...(triggerTime === undefined ? {} : { [triggerTimeAnnotation]: triggerTime }),
    ...(isTruncated ? { [overCapacityAnnotation]: "truncated" } : {}),
  };
}
