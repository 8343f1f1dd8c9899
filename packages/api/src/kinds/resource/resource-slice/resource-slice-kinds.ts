import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { validateSliceSpec, validateSliceUpdate } from "../devices/slice-validation.ts";
import { inV1beta2 } from "../devices/resource-versions.ts";
import { resourceSlices } from "./resource-slice-type.ts";
import { ResourceSlice, ResourceSliceV1beta2 } from "./resource-slice.ts";

const common: Omit<KindDefinition<ResourceSlice>, "type" | "schema" | "view"> = {
  validation: {
    validate: ({ spec }, faults) => validateSliceSpec(spec, faults),
    update: ({ spec }, { spec: before }, faults) => validateSliceUpdate(spec, before, faults),
  },
  strategy: {
    generation: true,
    prepareForCreate: (slice, { nowMs }) => timeTaints(slice, nowMs),
    prepareForUpdate: (slice, _before, { nowMs }) => timeTaints(slice, nowMs),
  },
  selectable: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
  },
  table: {
    columns: [
      nameColumn,
      column("Node", "Node of the devices."),
      column("Driver", "Driver of the devices."),
      column("Pool", "Pool of the devices."),
      ageColumn,
    ],
    cells: (slice, nowMs) => [
      slice.metadata.name ?? "",
      slice.spec.nodeName ?? "<unset>",
      slice.spec.driver,
      slice.spec.pool.name,
      formatAge(slice, nowMs),
    ],
  },
};

export const resourceSliceKind = defineKind<ResourceSlice>({ ...common, type: resourceSlices, schema: ResourceSlice });

/** The same objects for clients of 1.33 to 1.35. */
export const resourceSliceV1beta2Kind = defineKind<ResourceSlice>({
  ...common,
  ...inV1beta2(resourceSlices),
  schema: ResourceSliceV1beta2,
});

/** The server sets the time of a taint that does not have a time. */
function timeTaints({ spec }: ResourceSlice, nowMs: number): void {
  for (const { taints = [] } of spec.devices ?? []) {
    for (const taint of taints) taint.timeAdded ??= formatTimestamp(nowMs);
  }
}
