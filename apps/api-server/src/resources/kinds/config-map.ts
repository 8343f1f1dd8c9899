import { ConfigMap, configMaps } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const configMapResource = defineResource<ConfigMap>({ type: configMaps, schema: ConfigMap, rules: {} });
