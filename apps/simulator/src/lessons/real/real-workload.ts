import { type ApiObject, cpuMillicores, type PodTemplateSpec } from "@kintsugi/api";
import type { ScenarioWorkload } from "@kintsugi/simulation";
import { workloadObject } from "../../run/workload-objects.ts";
import { scaledMillicores } from "./plan-real-run.ts";

/** An image that every node of a cluster of `kintsugi up` has. */
const image = "busybox:1";
/** Serves until the signal, and then exits immediately, like the containers of a simulated run. */
const servingScript = "trap 'exit 0' TERM; while true; do sleep 3600 & wait $!; done";
/** No registry has this image, so its containers cannot be created. */
export const missingImage = "busybox:no-such-version";

/**
 * The object of a scenario's workload, with containers that run on real machines.
 * @param processors of the host, on which all nodes are
 */
export function realWorkload(workload: ScenarioWorkload, { processors }: { processors: number }): ApiObject {
  const { cpu, ...others } = workload;
  const millicores = cpu === undefined ? undefined : scaledMillicores(cpuMillicores(cpu), processors);
  const object = workloadObject({ ...others, ...(millicores === undefined ? {} : { cpu: `${millicores}m` }) });
  const { template } = (object as { spec?: { template?: PodTemplateSpec } }).spec ?? {};
  for (const container of template?.spec?.containers ?? []) {
    container.image = image;
    container.command ??= ["sh", "-c", servingScript];
  }
  return object;
}
