import { base64Length } from "../../../values/base64.ts";
import { checkConfigKey } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { dataBytesMax, dataBytesOf, onceImmutable } from "../config-data.ts";
import type { Secret } from "./secret.ts";

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
  if (dataBytesOf(data, base64Length) > dataBytesMax) faults.tooLong("data", dataBytesMax);
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
