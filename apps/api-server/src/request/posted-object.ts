import { type BodyContext, parseObjectBody } from "../http/body.ts";
import { type Decodable, decodeObject } from "./decode-object.ts";
import type { ResourceCall } from "./resource-call.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * Parses the body of a request as an object of a kind.
 * @param valuesMax the number of values that the body may have. Default: the parser's.
 * @throws ApiError BadRequest.
 */
export function readPosted<T>(
  context: BodyContext,
  { request, warnings }: Pick<ResourceCall, "request" | "warnings">,
  as: { decodable: Decodable<T>; options: WriteOptions; valuesMax?: number | undefined },
): T {
  const { decodable, options, valuesMax } = as;
  const body = parseObjectBody(request, context, { findDuplicates: options.fieldValidationAsked, valuesMax });
  const { fieldValidation } = options;
  return decodeObject(body.object, decodable, { fieldValidation, duplicates: body.duplicates, warnings });
}
