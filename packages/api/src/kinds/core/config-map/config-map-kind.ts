import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { countEntries, formatAge } from "../../../table/cells.ts";
import { defineKind } from "../../define-kind.ts";
import { configMaps } from "./config-map-type.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./config-map-validation.ts";
import { ConfigMap } from "./config-map.ts";

export const configMapKind = defineKind<ConfigMap>({
  type: configMaps,
  schema: ConfigMap,
  validation: { validate: validateConfigMap, update: validateConfigMapUpdate },
  table: {
    columns: [nameColumn, column("Data", "Number of entries in the data."), ageColumn],
    cells: (configMap, nowMs) => [
      configMap.metadata.name ?? "",
      countEntries(configMap.data) + countEntries(configMap.binaryData),
      formatAge(configMap, nowMs),
    ],
  },
});
