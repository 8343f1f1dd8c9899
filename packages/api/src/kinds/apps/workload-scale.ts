import type { ApiObject } from "../../meta/api-object.ts";
import type { LabelSelector } from "../../meta/label-selector-type.ts";
import { formatSelector, toSelector } from "../../meta/label-selector.ts";
import type { ScaleAccess } from "../define-kind.ts";

/** An object whose pods are counted by `spec.replicas` and found by `spec.selector`. */
interface Workload extends ApiObject {
  spec?: { replicas?: number | undefined; selector: LabelSelector } | undefined;
  status?: { replicas?: number | undefined } | undefined;
}

/** The size of a workload in the form of the subresource `scale`. */
export const workloadScale: ScaleAccess<Workload> = {
  read: ({ spec, status }) => ({
    wanted: spec?.replicas ?? 0,
    actual: status?.replicas ?? 0,
    selector: formatSelector(toSelector(spec?.selector)),
  }),
  write: ({ spec }, wanted) => {
    if (spec !== undefined) spec.replicas = wanted;
  },
};
