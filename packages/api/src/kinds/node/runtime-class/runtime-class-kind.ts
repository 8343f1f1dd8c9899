import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabels } from "../../../validation/labels.ts";
import { checkLabel1123 } from "../../../values/names.ts";
import { validateResources } from "../../core/pod/validation/resources.ts";
import { validateTolerations } from "../../core/pod/validation/scheduling.ts";
import { defineKind } from "../../define-kind.ts";
import { runtimeClasses } from "./runtime-class-type.ts";
import { RuntimeClass } from "./runtime-class.ts";

export const runtimeClassKind = defineKind<RuntimeClass>({
  type: runtimeClasses,
  schema: RuntimeClass,
  validation: {
    validate: validateRuntimeClass,
    update: ({ handler }, before, faults) => faults.immutable("handler", handler, handler === before.handler),
  },
  table: {
    columns: [nameColumn, column("Handler", "Name of the handler in the container runtime."), ageColumn],
    cells: (runtimeClass, nowMs) => [
      runtimeClass.metadata.name ?? "",
      runtimeClass.handler,
      formatAge(runtimeClass, nowMs),
    ],
  },
});

/** The rules follow pkg/apis/node/validation. */
function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass, faults: Faults): void {
  faults.invalidEach("handler", handler, checkLabel1123(handler));
  if (overhead?.podFixed !== undefined) {
    validateResources({ limits: overhead.podFixed }, { path: "overhead.podFixed", claims: new Set() }, faults);
  }
  validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector", faults);
  const { tolerations = [] } = scheduling ?? {};
  validateTolerations(tolerations, "scheduling.tolerations", faults);
  const seen = new Set<string>();
  tolerations.forEach((toleration, index) => {
    const { key, operator, value, effect, tolerationSeconds } = toleration;
    const text = JSON.stringify([key, operator, value, effect, tolerationSeconds]);
    if (seen.has(text)) faults.duplicate(`scheduling.tolerations[${index}]`, toleration);
    seen.add(text);
  });
}
