import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BusMessage, decodeMessage, encodeMessage, MalformedMessage } from "./envelope.ts";

const historyId = "8f14e45f-ceea-467f-8f14-e45fceea467f";
const revision = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const text = (maxLength: number) => fc.string({ unit: "grapheme", maxLength });

test("every message is decoded as it was encoded", () => {
  const change = fc.record(
    {
      type: fc.constantFrom("put" as const, "delete" as const),
      historyId: fc.constant(historyId),
      revision,
      previousOfResource: revision,
      previousOfNode: revision,
      namespace: fc.constantFrom("", "default", "kube-system"),
      name: text(60),
      object: fc.uint8Array({ minLength: 1, maxLength: 200 }),
    },
    { requiredKeys: ["type", "historyId", "revision", "previousOfResource", "previousOfNode", "namespace", "name"] },
  );
  const revisions = fc.dictionary(text(30), revision);
  const mark = fc.record({ type: fc.constant("marks" as const), historyId: fc.constant(historyId), revisions });
  fc.assert(
    fc.property(
      fc.oneof(change, mark),
      withinLimits((message: BusMessage) => {
        const decoded = decodeMessage(encodeMessage(message));
        expect(
          "object" in decoded && decoded.object ? { ...decoded, object: Uint8Array.from(decoded.object) } : decoded,
        ).toEqual(message);
      }),
    ),
  );
});

test("truncated or foreign bytes are malformed and never misread", () => {
  const message = encodeMessage({
    type: "put",
    historyId,
    revision: 7,
    previousOfResource: 6,
    previousOfNode: 0,
    namespace: "default",
    name: "web-0",
  });
  for (let length = 0; length < message.length; length++) {
    expect(() => decodeMessage(message.subarray(0, length))).toThrow(MalformedMessage);
  }
  const marks = encodeMessage({ type: "marks", historyId, revisions: { "/pods": 7 } });
  for (let length = 0; length < marks.length; length++) {
    expect(() => decodeMessage(marks.subarray(0, length))).toThrow(MalformedMessage);
  }
  expect(() => decodeMessage(Uint8Array.from([9, ...message.subarray(1)]))).toThrow("unknown message format 9");
  expect(() => decodeMessage(Uint8Array.from([1, 7, ...message.subarray(2)]))).toThrow("unknown message type 7");
});
