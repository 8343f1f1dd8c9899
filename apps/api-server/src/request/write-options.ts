import { badRequest, invalid } from "@kintsugi/api";
import type { ApiRequest } from "../http/api-request.ts";
import type { RequestInfo } from "./request-info.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** What the query of a write says about how to write. */
export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  /** Whether the client asked for the validation itself, so that it is worth looking for doubled keys. */
  fieldValidationAsked: boolean;
  /** Who is recorded in managedFields. */
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
    fieldManager: readFieldManager(info.query.get("fieldManager"), request.headers["user-agent"]),
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

/** Upstream's limit for a manager's name. */
const fieldManagerLengthMax = 128;

function readFieldManager(asked: string | null, userAgent: string | undefined): string {
  if (asked !== null && asked !== "") {
    if (asked.length > fieldManagerLengthMax || !/^[\x20-\x7e]*$/.test(asked)) {
      throw invalid({ group: "meta.k8s.io", kind: "UpdateOptions" }, "", [
        {
          field: "fieldManager",
          reason: "FieldValueInvalid",
          message: `Invalid value: must be printable and at most ${fieldManagerLengthMax} characters`,
        },
      ]);
    }
    return asked;
  }
  const fromAgent = (userAgent ?? "").split("/")[0]?.slice(0, fieldManagerLengthMax) ?? "";
  return fromAgent === "" ? "unknown" : fromAgent;
}
