/** One rule that an object breaks, as the causes of an Invalid refusal name it. */
export interface ValidationIssue {
  /** Where: `spec.containers[0].image`. */
  readonly field: string;
  readonly reason: FaultReason;
  /** What, without where: `Invalid value: "x": must be unique`. */
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
  | "FieldValueTooMany";

/** Collects what is wrong with an object. Texts are upstream's, which users search for. */
export class Faults {
  readonly list: ValidationIssue[] = [];

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, withDetail("Required value", detail));
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, withDetail(`Invalid value: ${show(value)}`, detail));
  }

  /** One fault for each problem that a name check found. */
  invalidEach(field: string, value: unknown, problems: readonly string[]): void {
    for (const problem of problems) this.invalid(field, value, problem);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const values = supported.map((word) => JSON.stringify(word)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${show(value)}: supported values: ${values}`);
  }

  /** Not one of the words; an empty or missing value is reported as missing. */
  oneOf(field: string, value: string | undefined, supported: readonly string[]): void {
    if (value === undefined || value === "") this.required(field);
    else if (!supported.includes(value)) this.notSupported(field, value, supported);
  }

  duplicate(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueDuplicate", field, withDetail(`Duplicate value: ${show(value)}`, detail));
  }

  notFound(field: string, value: unknown): void {
    this.#add("FieldValueNotFound", field, `Not found: ${show(value)}`);
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

  #add(reason: FaultReason, field: string, message: string): void {
    this.list.push({ reason, message, field });
  }
}

function show(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
