import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSchema } from "../kinds/schemas.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { resourceTypes, transientResourceTypes } from "../resources.ts";
import { anyBody } from "../testing/any-body.ts";
import { decoderOf } from "./decoder.ts";
import { withoutNulls } from "./without-nulls.ts";

describe("the decoder gives what the schema gives", () => {
  test.each(
    [...resourceTypes, ...transientResourceTypes].map(
      (type: ResourceType) => [`${type.group}/${type.kind}`, type] as const,
    ),
  )("%s", (_name, type) => {
    const schema = findSchema(type);
    if (schema === undefined) throw new Error("every resource has a schema");
    let fieldsSeen = 0;
    fc.assert(
      fc.property(anyBody(schema), (body) => {
        fieldsSeen += Object.keys(body as object).length;
        expect(decoderOf(schema)(body)).toEqual(schema.parse(withoutNulls(body)));
      }),
      { numRuns: 50 },
    );
    expect(fieldsSeen).toBeGreaterThan(20);
  });
});
