import type { ContainerStatus } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { logTarget } from "./log-target.ts";

const ended = { terminated: { exitCode: 1, containerID: "containerd://before" } };

function target(status: Partial<ContainerStatus>, previous = false) {
  const container = { name: "c", ready: false, restartCount: 0, image: "", imageID: "", ...status };
  return logTarget(aPod({}, { status: { containerStatuses: [container] } }), "c", previous);
}

test.each([
  ["a running container's", { state: { running: {} }, containerID: "containerd://now" }, false, "now"],
  ["a dead container's", { state: ended }, false, "before"],
  [
    "of a container in back-off, the last",
    { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: ended },
    false,
    "before",
  ],
  ["the previous", { state: { running: {} }, containerID: "containerd://now", lastState: ended }, true, "before"],
])("%s log is found", (_, status, previous, containerId) => {
  expect(target(status, previous)).toEqual({ found: true, containerId });
});

test.each([
  [{ state: { running: {} } }, true, 'previous terminated container "c" in pod "p" not found'],
  [
    { state: { waiting: { reason: "ContainerCreating" } } },
    false,
    'container "c" in pod "p" is waiting to start: ContainerCreating',
  ],
  [
    { state: { waiting: { reason: "ErrImagePull" } } },
    false,
    'container "c" in pod "p" is waiting to start: image can\'t be pulled',
  ],
  [
    { state: { waiting: { reason: "ImagePullBackOff" } } },
    false,
    'container "c" in pod "p" is waiting to start: trying and failing to pull image',
  ],
])("of %j no log is found, in upstream's words", (status, previous, message) => {
  expect(target(status, previous)).toEqual({ found: false, statusCode: 400, message });
});

test("a container that the pod does not have is not found", () => {
  expect(logTarget(aPod(), "x", false)).toEqual({
    found: false,
    statusCode: 404,
    message: 'container "x" not found in pod "p"',
  });
});
