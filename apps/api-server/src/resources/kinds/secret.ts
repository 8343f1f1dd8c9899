import { Secret, secrets } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const secretResource = defineResource<Secret>({
  type: secrets,
  schema: Secret,
  rules: {
    normalize: mergeStringData,
    selectableFields: { type: (secret) => secret.type },
  },
});

/** `stringData` is only a way to write `data` without encoding it; it is never stored. */
function mergeStringData(secret: Secret): void {
  secret.type ??= "Opaque";
  if (secret.stringData === undefined) return;
  const data = { ...secret.data };
  for (const [key, value] of Object.entries(secret.stringData)) data[key] = Buffer.from(value).toString("base64");
  secret.data = data;
  delete secret.stringData;
}
