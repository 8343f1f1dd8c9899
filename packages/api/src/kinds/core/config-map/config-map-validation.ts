import { base64Length } from "../../../values/base64.ts";
import { checkConfigKey } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length } from "../../../validation/labels.ts";
import { dataBytesMax, dataBytesOf, onceImmutable } from "../config-data.ts";
import type { ConfigMap } from "./config-map.ts";

export function validateConfigMap({ data, binaryData }: ConfigMap, faults: Faults): void {
  for (const key of Object.keys(data ?? {})) {
    faults.invalidEach(`data[${key}]`, key, checkConfigKey(key));
    if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
      faults.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    }
  }
  for (const key of Object.keys(binaryData ?? {})) faults.invalidEach(`binaryData[${key}]`, key, checkConfigKey(key));
  if (dataBytesOf(data, utf8Length) + dataBytesOf(binaryData, base64Length) > dataBytesMax)
    faults.tooLong("", dataBytesMax);
}

export function validateConfigMapUpdate(after: ConfigMap, before: ConfigMap, faults: Faults): void {
  if (before.immutable !== true) return;
  if (after.immutable !== true) faults.forbidden("immutable", onceImmutable);
  if (!sameJson(after.data ?? {}, before.data ?? {})) faults.forbidden("data", onceImmutable);
  if (!sameJson(after.binaryData ?? {}, before.binaryData ?? {})) faults.forbidden("binaryData", onceImmutable);
}
