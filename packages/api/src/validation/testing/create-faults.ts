import type { Kind } from "../../kinds/define-kind.ts";
import { validateCreate } from "../validate.ts";
import { anObject } from "./an-object.ts";

/** The faults of a new object of the kind, each as "field: message". */
export function createFaults(type: Kind, body: object): string[] {
  return validateCreate(type, anObject(type, body)).map(({ field, message }) => `${field}: ${message}`);
}
