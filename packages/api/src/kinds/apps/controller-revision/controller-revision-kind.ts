import { controllerOf } from "../../../meta/owner-references.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind } from "../../define-kind.ts";
import { controllerRevisions } from "./controller-revision-type.ts";
import { ControllerRevision } from "./controller-revision.ts";

export const controllerRevisionKind = defineKind<ControllerRevision>({
  type: controllerRevisions,
  schema: ControllerRevision,
  validation: {
    validate: ({ data, revision }, faults) => {
      if (data === undefined) faults.required("data", "data is mandatory");
      faults.notNegative("revision", revision);
    },
    update: (after, before, faults) => faults.immutable("data", after.data, sameJson(after.data, before.data)),
  },
  table: {
    columns: [
      nameColumn,
      column("Controller", "Workload whose state the revision records."),
      column("Revision", "Number of the revision. The latest state has the highest number."),
      ageColumn,
    ],
    cells: (object, nowMs) => [
      object.metadata.name ?? "",
      formatController(object),
      object.revision,
      formatAge(object, nowMs),
    ],
  },
});

/** `statefulset.apps/web`, as kubectl names an object. */
function formatController(object: ControllerRevision): string {
  const owner = controllerOf(object);
  if (owner === undefined) return "<none>";
  const [group = "", version] = owner.apiVersion.split("/");
  const kind = owner.kind.toLowerCase();
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}
