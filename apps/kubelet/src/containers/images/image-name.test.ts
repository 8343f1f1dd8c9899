import { expect, test } from "vitest";
import { defaultPullPolicy, parseImageName } from "./image-name.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each([
  ["busybox", "busybox:latest", "Always"],
  ["busybox:1.36", "busybox:1.36", "IfNotPresent"],
  ["busybox:latest", "busybox:latest", "Always"],
  [`busybox@${digest}`, `busybox@${digest}`, "IfNotPresent"],
  ["localhost:5000/a/b", "localhost:5000/a/b:latest", "Always"],
  ["Registry.example.com/a", "Registry.example.com/a:latest", "Always"],
])("%s means %s, pulled %s", (image, reference, policy) => {
  expect(parseImageName(image)).toEqual({ ok: true, reference });
  expect(defaultPullPolicy(image)).toBe(policy);
});

test.each(["", "Busybox", "a b", "busybox:", "busybox:a b", "-a", "a//b", "busybox@sha256:short", "a@b@c"])(
  "%j is not a valid image name",
  (image) => {
    expect(parseImageName(image).ok).toBe(false);
  },
);
