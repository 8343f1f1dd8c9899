import { ConfigMap, configMaps, sameJson } from "@kintsugi/api";
import { type FieldProblem, fieldForbidden } from "../../http/refusals.ts";
import { defineResource } from "../resource.ts";

export const configMapResource = defineResource<ConfigMap>({
  type: configMaps,
  schema: ConfigMap,
  rules: {
    validateUpdate: (object, before) => {
      if (before.immutable !== true) return [];
      const problems: FieldProblem[] = [];
      if (object.immutable !== true)
        problems.push(fieldForbidden("immutable", "field is immutable when `immutable` is set"));
      if (!sameJson(object.data ?? {}, before.data ?? {})) {
        problems.push(fieldForbidden("data", "field is immutable when `immutable` is set"));
      }
      if (!sameJson(object.binaryData ?? {}, before.binaryData ?? {})) {
        problems.push(fieldForbidden("binaryData", "field is immutable when `immutable` is set"));
      }
      return problems;
    },
  },
});
