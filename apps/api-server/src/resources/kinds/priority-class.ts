import { PriorityClass, priorityClasses } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const priorityClassResource = defineResource<PriorityClass>({
  type: priorityClasses,
  schema: PriorityClass,
  rules: {
    generation: true,
    indexedFields: { globalDefault: ({ globalDefault }) => (globalDefault ? "true" : undefined) },
  },
});
