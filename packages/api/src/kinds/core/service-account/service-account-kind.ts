import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge } from "../../../table/cells.ts";
import { defineKind } from "../../define-kind.ts";
import { serviceAccounts } from "./service-account-type.ts";
import { ServiceAccount } from "./service-account.ts";

export const serviceAccountKind = defineKind<ServiceAccount>({
  type: serviceAccounts,
  schema: ServiceAccount,
  strategy: { returnsDeleted: true },
  subresources: ["token"],
  table: {
    columns: [nameColumn, column("Secrets", "Number of secrets for the account's pods."), ageColumn],
    cells: (account, nowMs) => [account.metadata.name ?? "", (account.secrets ?? []).length, formatAge(account, nowMs)],
  },
});
