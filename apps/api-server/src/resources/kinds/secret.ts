import { sameJson, Secret, secrets } from "@kintsugi/api";
import { type FieldProblem, fieldForbidden, immutable } from "../../http/refusals.ts";
import { defineResource } from "../resource.ts";

export const secretResource = defineResource<Secret>({
  type: secrets,
  schema: Secret,
  rules: {
    prepareForCreate: mergeStringData,
    prepareForUpdate: mergeStringData,
    selectableFields: { type: (secret) => secret.type },
    validateUpdate: (secret, before) => {
      const problems: FieldProblem[] = [];
      if (secret.type !== before.type) problems.push(immutable("type", secret.type));
      if (before.immutable !== true) return problems;
      if (secret.immutable !== true)
        problems.push(fieldForbidden("immutable", "field is immutable when `immutable` is set"));
      if (!sameJson(secret.data ?? {}, before.data ?? {})) {
        problems.push(fieldForbidden("data", "field is immutable when `immutable` is set"));
      }
      return problems;
    },
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
