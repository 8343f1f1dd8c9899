import { sameJson } from "../../../values/json.ts";
import { podTemplateWarnings } from "../pod/warnings/pod-warnings.ts";
import { formatContainers, formatLabelSelector } from "../../../table/cells.ts";
import { column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { setPodSpecDefaults } from "../pod/defaults/pod-defaults.ts";
import { validatePodTemplate } from "../pod/validation/pod-template.ts";
import { podTemplates } from "./pod-template-type.ts";
import { PodTemplate } from "./pod-template.ts";

export const podTemplateKind = defineKind<PodTemplate>({
  type: podTemplates,
  schema: PodTemplate,
  defaults: ({ template }) => {
    if (template?.spec !== undefined) setPodSpecDefaults(template.spec);
  },
  validation: {
    validate: ({ template }, faults) => validatePodTemplate(template ?? {}, "template", faults),
  },
  strategy: {
    generation: "template",
    warnings: ({ template }, before) =>
      before !== undefined && sameJson(template, before.template) ? [] : podTemplateWarnings(template, "template"),
  },
  table: {
    columns: [
      nameColumn,
      column("Containers", "Names of the containers in the template."),
      column("Images", "Images of the containers in the template."),
      column("Pod Labels", "Labels of the template."),
    ],
    cells: ({ metadata, template }) => [
      metadata.name ?? "",
      ...formatContainers(template?.spec?.containers ?? []),
      formatLabelSelector({ matchLabels: template?.metadata?.labels ?? {} }),
    ],
  },
});
