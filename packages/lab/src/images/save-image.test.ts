import { expect, test } from "vitest";
import { saveImage, whyNotDocker } from "./save-image.ts";

test.each(["--help", "-o/etc/passwd"])("%s is neither an image name nor a docker option", async (name) => {
  const saved = saveImage(name, { file: "/nonexistent/image.tar", containerdSocket: "/nonexistent/containerd.sock" });
  await expect(saved).rejects.toThrow(`"${name}" is not the name of an image: it begins with a dash`);
});

test.each([
  ["docker image inspect x: docker is not installed", "Docker is not installed"],
  ["docker image inspect x: Cannot connect to the Docker daemon at unix:///x. Is it running?", "Docker does not run"],
  ["docker image inspect x: Error: No such image: x", "Docker does not have the image"],
  ["docker image inspect x: permission denied", "docker image inspect x: permission denied"],
])("for %j the user reads %j", (failure, says) => {
  expect(whyNotDocker(failure)).toBe(says);
});
