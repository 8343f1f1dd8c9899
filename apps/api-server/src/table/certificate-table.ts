import type { CertificateSigningRequest } from "@kintsugi/api";
import { formatAge } from "./cells.ts";
import { ageColumn, column, type KindTable, nameColumn } from "./columns.ts";
import { formatHumanDuration } from "./human-duration.ts";

export const certificateSigningRequestTable: KindTable<CertificateSigningRequest> = {
  columns: [
    nameColumn,
    ageColumn,
    column("SignerName", "Who is to sign it."),
    column("Requestor", "Who asks."),
    column("RequestedDuration", "For how long it should hold."),
    column("Condition", "Whether it was approved, and signed."),
  ],
  cells: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    formatAge({ metadata }, nowMs),
    spec.signerName,
    spec.username ?? "",
    spec.expirationSeconds === undefined ? "<none>" : formatHumanDuration(spec.expirationSeconds * 1000),
    conditionText(status),
  ],
};

/** As upstream's printer joins them: "Approved,Issued". */
function conditionText(status: CertificateSigningRequest["status"]): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  const verdict = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending";
  const outcome = [...(types.includes("Failed") ? ["Failed"] : []), ...(status?.certificate ? ["Issued"] : [])];
  return [verdict, ...outcome].join(",");
}
