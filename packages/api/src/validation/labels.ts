import type { LabelSelector } from "../meta/label-selector-type.ts";
import { checkLabelValue, checkQualifiedName } from "../values/names.ts";
import type { Faults } from "./faults.ts";

/** Maximum size of all annotations of an object together, keys and values. */
const annotationBytesMax = 256 * 1024;

type StringMap = Readonly<Record<string, string>> | undefined;

export function validateLabels(labels: StringMap, path: string, faults: Faults): void {
  for (const key in labels) {
    if (!Object.hasOwn(labels, key)) continue;
    validateLabelKey(key, path, faults);
    const value = labels[key] ?? "";
    faults.invalidEach(path, value, checkLabelValue(value));
  }
}

export function validateLabelKey(key: string, path: string, faults: Faults): void {
  faults.invalidEach(path, key, checkQualifiedName(key));
}

/**
 * Keys are compared in lower case here, as in upstream's ValidateAnnotations; values may be
 * anything.
 */
export function validateAnnotations(annotations: StringMap, path: string, faults: Faults): void {
  let bytes = 0;
  for (const key in annotations) {
    if (!Object.hasOwn(annotations, key)) continue;
    faults.invalidEach(path, key, checkQualifiedName(key.toLowerCase()));
    bytes += utf8Length(key) + utf8Length(annotations[key] ?? "");
  }
  if (bytes > annotationBytesMax) faults.tooLong(path, annotationBytesMax);
}

export function validateLabelSelector(selector: LabelSelector | undefined, path: string, faults: Faults): void {
  if (selector === undefined) return;
  validateLabels(selector.matchLabels, `${path}.matchLabels`, faults);
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const inOrNotIn = operator === "In" || operator === "NotIn";
    const exists = operator === "Exists" || operator === "DoesNotExist";
    if (inOrNotIn && values.length === 0) {
      faults.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    }
    if (exists && values.length > 0) {
      faults.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
    if (!inOrNotIn && !exists) faults.invalid(`${at}.operator`, operator, "not a valid selector operator");
    validateLabelKey(key, `${at}.key`, faults);
    for (const [place, value] of values.entries()) {
      faults.invalidEach(`${at}.values[${place}]`, value, checkLabelValue(value));
    }
  }
}

/** Number of bytes of the text in UTF-8, counted without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes++;
    // Each half of a surrogate pair counts two of its four bytes.
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes++;
  }
  return bytes;
}
