import { encodeBase64 } from "../../../values/base64.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { countEntries, formatAge } from "../../../table/cells.ts";
import { defineKind } from "../../define-kind.ts";
import { secrets } from "./secret-type.ts";
import { validateSecret, validateSecretUpdate } from "./secret-validation.ts";
import { Secret } from "./secret.ts";

export const secretKind = defineKind<Secret>({
  type: secrets,
  schema: Secret,
  defaults: setSecretDefaults,
  validation: { validate: validateSecret, update: validateSecretUpdate },
  selectable: { type: (secret) => secret.type },
  table: {
    columns: [
      nameColumn,
      column("Type", "Type of the data, such as kubernetes.io/tls."),
      column("Data", "Number of entries in the data."),
      ageColumn,
    ],
    cells: (secret, nowMs) => [
      secret.metadata.name ?? "",
      secret.type ?? "",
      countEntries(secret.data),
      formatAge(secret, nowMs),
    ],
  },
  exceptions: { isSecret: true },
});

/** `stringData` is a way to write `data` without base64; it is never stored or read back. */
function setSecretDefaults(secret: Secret): void {
  secret.type ||= "Opaque";
  if (secret.stringData === undefined) return;
  const encoded = Object.entries(secret.stringData).map(([key, value]) => [key, encodeBase64(value)]);
  secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
  delete secret.stringData;
}
