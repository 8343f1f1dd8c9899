import { badRequest, invalid } from "@kintsugi/api";
import type { ApiRequest } from "../http/api-request.ts";
import { fieldForbidden, fieldRequired } from "../http/refusals.ts";
import { fieldManagerBytesMax, fieldManagerIssues } from "./field-manager.ts";
import type { RequestInfo } from "./request-info.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** The options in the query of a write. */
export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  /** The client set the validation itself, so duplicate keys are worth a search. */
  fieldValidationAsked: boolean;
  /** The manager that is recorded in managedFields. */
  fieldManager: string;
}

/** @throws ApiError */
export function readWriteOptions(request: ApiRequest, info: RequestInfo): WriteOptions {
  const validation = info.query.get("fieldValidation");
  if (validation !== null && validation !== "" && !isFieldValidation(validation)) {
    throw badRequest(
      `fieldValidation: Unsupported value: "${validation}": supported values: "Ignore", "Warn", "Strict"`,
    );
  }
  return {
    dryRun: readDryRun(info.query.getAll("dryRun")),
    fieldValidation: validation !== null && isFieldValidation(validation) ? validation : "Warn",
    fieldValidationAsked: validation !== null && validation !== "" && validation !== "Ignore",
    fieldManager: readFieldManager(info, request.headers["user-agent"]),
  };
}

export function readDryRun(values: readonly string[]): boolean {
  const given = values.filter((value) => value !== "");
  const wrong = given.find((value) => value !== "All");
  if (wrong !== undefined) {
    throw invalid({ group: "meta.k8s.io", kind: "CreateOptions" }, "", [
      {
        field: "dryRun",
        reason: "FieldValueNotSupported",
        message: `Unsupported value: ${JSON.stringify(wrong)}: supported values: "All"`,
      },
    ]);
  }
  return given.length > 0;
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === "Ignore" || text === "Warn" || text === "Strict";
}

function readFieldManager(info: RequestInfo, userAgent: string | undefined): string {
  const asked = info.query.get("fieldManager") ?? "";
  if (asked !== "") {
    const issues = fieldManagerIssues(asked, "fieldManager");
    if (issues.length > 0) throw invalid(optionsOf(info), "", issues);
    return asked;
  }
  const fromAgent = (userAgent ?? "").split("/")[0]?.slice(0, fieldManagerBytesMax) ?? "";
  return fromAgent === "" ? "unknown" : fromAgent;
}

function optionsOf({ verb }: RequestInfo): { group: string; kind: string } {
  const kind = verb === "create" ? "CreateOptions" : verb === "patch" ? "PatchOptions" : "UpdateOptions";
  return { group: "meta.k8s.io", kind };
}

/** The options in the query of an apply. */
export interface ApplyOptions extends WriteOptions {
  /** Fields of other managers are taken over. */
  force: boolean;
}

/**
 * An apply needs a manager's name, which upstream also requires of controllers.
 * @throws ApiError
 */
export function readApplyOptions(request: ApiRequest, info: RequestInfo): ApplyOptions {
  if ((info.query.get("fieldManager") ?? "") === "") {
    throw invalid(optionsOf(info), "", [fieldRequired("fieldManager", "is required for apply patch")]);
  }
  const force = info.query.get("force");
  // Upstream's rule for an optional boolean: every value except these two is true.
  const isForced = force !== null && force !== "0" && force.toLowerCase() !== "false";
  return { ...readWriteOptions(request, info), force: isForced };
}

/** @throws ApiError Invalid when a patch other than apply sets `force`. */
export function assertNotForced(info: RequestInfo): void {
  if (!info.query.has("force")) return;
  throw invalid(optionsOf(info), "", [fieldForbidden("force", "may not be specified for non-apply patch")]);
}
