import { requestTooLarge } from "@kintsugi/api";
import type { EncodedObject, Entry } from "@kintsugi/store";
import { bodyBytesMax, countValues, valuesMax } from "../http/bodies/body-budget.ts";

/** No value takes less than this in a text, so most objects need not be counted. */
const valueBytesMin = 2;

/**
 * Patches and applies could add to an object without end, until each write of it takes seconds.
 * Every stored object can be sent back unchanged, managedFields included; only one that was stored
 * larger before may stay so.
 * @throws ApiError RequestEntityTooLarge
 */
export function assertStorable(object: object, encoded: EncodedObject, current: Entry | undefined): void {
  const bytes = encoded.head.byteLength + encoded.tail.byteLength;
  if (bytes <= valuesMax * valueBytesMin) return;
  if (bytes <= bodyBytesMax && countValues(object) <= valuesMax) return;
  if (current === undefined || bytes > current.value.byteLength) throw tooLarge();
}

/**
 * The same for an object that is still to be checked and completed. @throws ApiError
 * RequestEntityTooLarge
 */
export function assertMayGrow(object: object, before: object | undefined): void {
  const values = countValues(object);
  if (values <= valuesMax) return;
  if (before === undefined || values > countValues(before)) throw tooLarge();
}

function tooLarge() {
  return requestTooLarge(
    `Request entity too large: the object would hold more than ${valuesMax} values or ${bodyBytesMax} bytes`,
  );
}
