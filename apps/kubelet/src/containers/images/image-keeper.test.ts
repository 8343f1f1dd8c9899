import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("an image that cannot be pulled is retried after 10, 20, 40 … s, and the status states the reason", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("pull-error:unknown", {}, { imagePullPolicy: "IfNotPresent" }));
    await node.clock.advance(80 * second);
    const pulls = node.runtime.callsOf("pullImage").map(({ atMs }) => atMs);
    const gaps = pulls.slice(1).map((atMs, i) => Math.round((atMs - (pulls[i] ?? 0)) / second));
    expect(gaps).toEqual([10, 20, 40]);
    const waiting = (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
    expect(waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    expect(waiting?.message).toContain("unknown");
  }));

test.each([
  [
    "Never",
    "busybox:absent",
    "ErrImageNeverPull",
    'Container image "busybox:absent" is not present with pull policy of Never',
  ],
  [
    "Always",
    "Busybox",
    "InvalidImageName",
    'Failed to apply default image tag "Busybox": couldn\'t parse image name "Busybox": invalid reference format: repository name must be lowercase',
  ],
] as const)("with pull policy %s the image %s waits with %s", (imagePullPolicy, image, reason, message) =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [{ name: "c", image, imagePullPolicy }] });
    await node.clock.advance(3 * second);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting).toEqual({ reason, message });
  }),
);
