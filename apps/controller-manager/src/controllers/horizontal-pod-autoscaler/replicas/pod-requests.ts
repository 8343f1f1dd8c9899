import { isSidecar, milliUnits, type Pod } from "@kintsugi/api";
import { known, type MetricReading, notKnown } from "../metrics/metric-values.ts";

/**
 * Returns the requests of each pod in thousandths, by name: one container's requests, the pod-level
 * requests if the pod has them, or the sum of its containers and sidecars.
 */
export function requestsOf(
  pods: readonly Pod[],
  container: string,
  resource: string,
): MetricReading<Map<string, number>> {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const request = requestOf(pod, container, resource);
    if (!request.known) return request;
    requests.set(pod.metadata.name ?? "", request.value);
  }
  return known(requests);
}

function requestOf(pod: Pod, container: string, resource: string): MetricReading<number> {
  const { name = "" } = pod.metadata;
  const ofPod = pod.spec?.resources?.requests ?? {};
  if (container === "" && Object.keys(ofPod).length > 0) {
    const request = Object.hasOwn(ofPod, resource) ? ofPod[resource] : undefined;
    return request === undefined
      ? notKnown(`missing pod-level request for ${resource} in Pod ${name}`)
      : known(milliUnits(request));
  }
  let sum = 0;
  let isFound = false;
  for (const each of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)]) {
    if (container !== "" && each.name !== container) continue;
    const { requests = {} } = each.resources ?? {};
    const request = Object.hasOwn(requests, resource) ? requests[resource] : undefined;
    if (request === undefined)
      return notKnown(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    sum += milliUnits(request);
    isFound = true;
  }
  if (container !== "" && !isFound) return notKnown(`container ${container} not found in Pod ${name}`);
  return known(sum);
}
