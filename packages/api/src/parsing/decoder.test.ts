import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import { anyBody } from "../testing/any-body.ts";
import { decoderOf } from "./decoder.ts";
import { withoutNulls } from "./without-nulls.ts";
import { withinLimits } from "../testing/request-limits.ts";

describe("the decoder returns the schema's result", () => {
  test.each(builtInKinds.map(({ type, schema }) => [`${type.group}/${type.version}/${type.kind}`, schema] as const))(
    "%s",
    (_name, schema) => {
      let fieldsSeen = 0;
      fc.assert(
        fc.property(
          anyBody(schema),
          withinLimits((body) => {
            fieldsSeen += Object.keys(body as object).length;
            expect(decoderOf(schema)(body)).toEqual(schema.parse(withoutNulls(body)));
          }),
        ),
        { numRuns: 50 },
      );
      expect(fieldsSeen).toBeGreaterThan(20);
    },
  );
});
