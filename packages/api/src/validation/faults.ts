import { shortened, shownLengthMax, shownValue } from "../errors/shown.ts";

/** One violation of a rule, as in the causes of an Invalid rejection. */
export interface ValidationIssue {
  /** The path of the field: `spec.containers[0].image`. */
  readonly field: string;
  readonly reason: FaultReason;
  /** The fault itself, without its field: `Invalid value: "x": must be unique`. */
  readonly message: string;
}

export type FaultReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid";

/**
 * Maximum number of faults: an author fixes the first hundred and tries again. Upstream's lists are
 * not limited.
 */
const faultsMax = 100;

/**
 * The limit applies to all faults together, once in the message and once more in the causes of a
 * rejection.
 */
const faultsLengthMax = 32 * 1024;

/** Ends a validation once enough faults are known. It is always caught in `collectFaults`. */
class EnoughFaults extends Error {}

/**
 * The faults that `validate` finds. Validation stops at the maximum number of faults, so that an
 * object with 100,000 faults is rejected as fast as an object with a hundred.
 */
export function collectFaults(validate: (faults: Faults) => void): ValidationIssue[] {
  const faults = new Faults();
  try {
    validate(faults);
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error;
  }
  return faults.list;
}

/** Collects the faults of an object. Texts are upstream's, for which users search. */
export class Faults {
  readonly list: ValidationIssue[] = [];
  #length = 0;
  readonly #path: string;
  readonly #of: Faults | undefined;

  constructor(of?: Faults, path = "") {
    this.#of = of;
    this.#path = path;
  }

  /** Adds the faults of an object that is nested in the validated object. */
  below(path: string): Faults {
    return new Faults(this, path);
  }

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, withDetail("Required value", detail));
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, withDetail(`Invalid value: ${shownValue(value)}`, detail));
  }

  /** Represents a value of another JSON type, which is printed in the value's place. */
  invalidType(field: string, type: string, detail: string): void {
    this.#add("FieldValueTypeInvalid", field, withDetail(`Invalid value: ${JSON.stringify(type)}`, detail));
  }

  /** A fault of a field whose value would not explain the fault, such as a list of conditions. */
  invalidWhole(field: string, detail: string): void {
    this.#add("FieldValueInvalid", field, withDetail("Invalid value", detail));
  }

  /** Adds one fault for each problem that a name check found. */
  invalidEach(field: string, value: unknown, problems: readonly string[]): void {
    for (const problem of problems) this.invalid(field, value, problem);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const values = supported.map((word) => JSON.stringify(word)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${shownValue(value)}: supported values: ${values}`);
  }

  /** The value is not in the list of values, which may have any form. */
  notSupportedValue(field: string, value: unknown, supported: readonly unknown[]): void {
    const values = supported.map(shownValue).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${shownValue(value)}: supported values: ${values}`);
  }

  /** The value is not in the list of words; an empty or missing value is reported as missing. */
  oneOf(field: string, value: string | undefined, supported: readonly string[]): void {
    if (value === undefined || value === "") this.required(field);
    else if (!supported.includes(value)) this.notSupported(field, value, supported);
  }

  duplicate(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueDuplicate", field, withDetail(`Duplicate value: ${shownValue(value)}`, detail));
  }

  notFound(field: string, value: unknown): void {
    this.#add("FieldValueNotFound", field, `Not found: ${shownValue(value)}`);
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, withDetail("Forbidden", detail));
  }

  tooLong(field: string, bytesMax: number): void {
    this.#add("FieldValueTooLong", field, `Too long: may not be more than ${bytesMax} bytes`);
  }

  tooMany(field: string, actual: number, max: number): void {
    this.#add("FieldValueTooMany", field, `Too many: ${actual}: must have at most ${max} items`);
  }

  notNegative(field: string, value: number | undefined): void {
    if (value !== undefined && value < 0) this.invalid(field, value, "must be greater than or equal to 0");
  }

  immutable(field: string, after: unknown, same: boolean): void {
    if (!same) this.invalid(field, after, "field is immutable");
  }

  /** Adds faults that were collected separately. */
  addAll(issues: readonly ValidationIssue[]): void {
    for (const { reason, field, message } of issues) this.#add(reason, field, message);
  }

  #add(reason: FaultReason, field: string, message: string): void {
    if (this.#of !== undefined) return this.#of.#add(reason, `${this.#path}.${field}`, message);
    const fault = { reason, message: shortened(message, messageLengthMax), field: shortened(field) };
    this.list.push(fault);
    this.#length += fault.field.length + fault.message.length;
    if (this.list.length < faultsMax && this.#length < faultsLengthMax) return;
    this.list.push({
      reason: "FieldValueTooMany",
      field: "",
      message: "there may be more faults, which are not listed",
    });
    throw new EnoughFaults();
  }
}

/** Space for a quoted value and an explanation. */
const messageLengthMax = 2 * shownLengthMax;

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
