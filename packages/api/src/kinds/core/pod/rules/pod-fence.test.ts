import { expect, test } from "vitest";
import { podKind } from "../../../../index.ts";
import { aPod } from "../../../../validation/testing/a-pod.ts";
import { validateCreate } from "../../../../validation/validate.ts";
import { parsePodFence } from "./pod-fence.ts";

test.each([
  ["true", true],
  ["false", false],
])("the fence %j is parsed", (text, asks) => {
  expect(parsePodFence(text)).toBe(asks);
});

test.each(["", "yes", "True", "30s"])("a pod with the fence %j is rejected", (text) => {
  const pod = aPod({}, { annotations: { "kintsugi.dev/fence-on-partition": text } });
  expect(validateCreate(podKind, pod).map(({ field, message }) => `${field}: ${message}`)).toEqual([
    `metadata.annotations[kintsugi.dev/fence-on-partition]: Invalid value: ${JSON.stringify(text)}: must be "true" or "false"`,
  ]);
});
