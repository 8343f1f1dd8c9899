import { countValues, requestTooLarge } from "@kintsugi/api";
import type { EncodedObject, Entry } from "@kintsugi/store";
import { bodyBytesMax, valuesMaxOf } from "../http/bodies/body-limits.ts";
import type { Resource } from "./resource.ts";

/** The fewest bytes of a value in a string. By this minimum, most objects need not be counted. */
const valueBytesMin = 2;

/**
 * Limits an object's size. Patches and applies could otherwise add to an object without limit,
 * until each write of it takes seconds. Every stored object can be sent back unchanged, including
 * managedFields. Only an object that was already larger may remain larger.
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
 * Limits the size of an object that is still to be checked and completed. @throws ApiError
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
