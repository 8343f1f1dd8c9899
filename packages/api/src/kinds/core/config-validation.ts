import type { ConfigMap } from "./config-map/config-map.ts";
import type { Secret } from "./secret/secret.ts";
import { base64Length } from "../../values/base64.ts";
import { checkConfigKey } from "../../values/names.ts";
import { sameJson } from "../../values/json.ts";
import type { Faults } from "../../validation/faults.ts";
import { utf8Length } from "../../validation/labels.ts";

/**
 * The maximum size of a ConfigMap's or Secret's data, because every client that watches it keeps it
 * in memory.
 */
const dataBytesMax = 1024 * 1024;

const onceImmutable = "field is immutable when `immutable` is set";

type Data = Readonly<Record<string, string>> | undefined;

export function validateConfigMap({ data, binaryData }: ConfigMap, faults: Faults): void {
  for (const key of Object.keys(data ?? {})) {
    faults.invalidEach(`data[${key}]`, key, checkConfigKey(key));
    if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
      faults.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    }
  }
  for (const key of Object.keys(binaryData ?? {})) faults.invalidEach(`binaryData[${key}]`, key, checkConfigKey(key));
  if (sizeOf(data, utf8Length) + sizeOf(binaryData, base64Length) > dataBytesMax) faults.tooLong("", dataBytesMax);
}

export function validateConfigMapUpdate(after: ConfigMap, before: ConfigMap, faults: Faults): void {
  if (before.immutable !== true) return;
  if (after.immutable !== true) faults.forbidden("immutable", onceImmutable);
  if (!sameJson(after.data ?? {}, before.data ?? {})) faults.forbidden("data", onceImmutable);
  if (!sameJson(after.binaryData ?? {}, before.binaryData ?? {})) faults.forbidden("binaryData", onceImmutable);
}

/** The keys that a Secret of each type must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

const serviceAccountAnnotation = "kubernetes.io/service-account.name";

export function validateSecret({ metadata, type = "", data = {} }: Secret, faults: Faults): void {
  for (const key of Object.keys(data)) faults.invalidEach(`data[${key}]`, key, checkConfigKey(key));
  if (sizeOf(data, base64Length) > dataBytesMax) faults.tooLong("data", dataBytesMax);
  const keys = Object.hasOwn(requiredKeys, type) ? (requiredKeys[type] ?? []) : [];
  for (const key of keys) if (!Object.hasOwn(data, key)) faults.required(`data[${key}]`);
  if (
    type === "kubernetes.io/service-account-token" &&
    (metadata.annotations?.[serviceAccountAnnotation] ?? "") === ""
  ) {
    faults.required(`metadata.annotations[${serviceAccountAnnotation}]`);
  }
  const anonymous = !Object.hasOwn(data, "username") && !Object.hasOwn(data, "password");
  if (type === "kubernetes.io/basic-auth" && anonymous) {
    faults.required("data[username]");
    faults.required("data[password]");
  }
}

export function validateSecretUpdate(after: Secret, before: Secret, faults: Faults): void {
  faults.immutable("type", after.type, after.type === before.type);
  if (before.immutable !== true) return;
  if (after.immutable !== true) faults.forbidden("immutable", onceImmutable);
  if (!sameJson(after.data ?? {}, before.data ?? {})) faults.forbidden("data", onceImmutable);
}

function sizeOf(data: Data, bytesOf: (value: string) => number): number {
  return Object.values(data ?? {}).reduce((sum, value) => sum + bytesOf(value), 0);
}
