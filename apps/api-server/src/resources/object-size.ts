import { countValues, requestTooLarge } from "@kintsugi/api";
import type { EncodedObject, Entry } from "@kintsugi/store";
import { bodyBytesMax, valuesMaxOf } from "../http/bodies/body-budget.ts";
import type { Resource } from "./resource.ts";

/** No value takes less than this in a text, so most objects need not be counted. */
const valueBytesMin = 2;

/**
 * Patches and applies could add to an object without end, until each write of it takes seconds.
 * Every stored object can be sent back unchanged, managedFields included; only one that was stored
 * larger before may stay so.
 * @throws ApiError RequestEntityTooLarge
 */
export function assertStorable(
  { kind }: Pick<Resource, "kind">,
  object: object,
  { encoded, current }: { encoded: EncodedObject; current: Entry | undefined },
): void {
  const valuesMax = valuesMaxOf(kind);
  const bytes = encoded.head.byteLength + encoded.tail.byteLength;
  if (bytes <= valuesMax * valueBytesMin) return;
  if (bytes <= bodyBytesMax && countValues(object) <= valuesMax) return;
  if (current === undefined || bytes > current.value.byteLength) throw tooLarge(valuesMax);
}

/**
 * The same for an object that is still to be checked and completed. @throws ApiError
 * RequestEntityTooLarge
 */
export function assertMayGrow({ kind }: Pick<Resource, "kind">, object: object, before: object | undefined): void {
  const valuesMax = valuesMaxOf(kind);
  const values = countValues(object);
  if (values <= valuesMax) return;
  if (before === undefined || values > countValues(before)) throw tooLarge(valuesMax);
}

function tooLarge(valuesMax: number) {
  return requestTooLarge(
    `Request entity too large: the object would hold more than ${valuesMax} values or ${bodyBytesMax} bytes`,
  );
}
