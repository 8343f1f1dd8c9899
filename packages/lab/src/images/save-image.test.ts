import { expect, test } from "vitest";
import { saveImage } from "./save-image.ts";

test.each(["--help", "-o/etc/passwd"])("%s is no name of an image, and no option of docker", async (name) => {
  const saved = saveImage(name, { file: "/nonexistent/image.tar", containerdSocket: "/nonexistent/containerd.sock" });
  await expect(saved).rejects.toThrow(`"${name}" is no name of an image: it begins with a dash`);
});
