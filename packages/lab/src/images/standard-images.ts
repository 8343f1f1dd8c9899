import { runCommand } from "../host/run-command.ts";
import type { ImageDefinition } from "./image-archive.ts";
import { isStaticProgram, readStaticProgram } from "./static-program.ts";
import type { TarEntry } from "./tar.ts";

/** The reference under which every containerd looks for its pause container. */
export const pauseImage = "registry.k8s.io/pause:3.9";

/** The images that every node has, made of the host's own static programs, so that nothing has to be pulled. */
export async function standardImages(): Promise<ImageDefinition[]> {
  return [await pause(), await busybox()];
}

/** catatonit -P sleeps until it is told to end and reaps what is left to it, as upstream's pause does. */
async function pause(): Promise<ImageDefinition> {
  const content = await readStaticProgram("/usr/bin/catatonit", "catatonit");
  return {
    names: [pauseImage],
    files: [{ type: "file", path: "pause", mode: 0o755, content }],
    entrypoint: ["/pause", "-P"],
  };
}

async function busybox(): Promise<ImageDefinition> {
  const program = isStaticProgram("/bin/busybox") ? "/bin/busybox" : "/usr/bin/busybox";
  const applets = (await runCommand(program, ["--list"]))
    .split("\n")
    .filter((name) => name !== "" && name !== "busybox");
  const directory = (path: string, mode = 0o755): TarEntry => ({ type: "directory", path, mode });
  const file = (path: string, text: string): TarEntry => ({
    type: "file",
    path,
    mode: 0o644,
    content: Buffer.from(text),
  });
  return {
    names: ["latest", "stable", "1", "1.36"].map((tag) => `docker.io/library/busybox:${tag}`),
    files: [
      ...["bin", "dev", "etc", "home", "proc", "sys", "usr", "var"].map((path) => directory(path)),
      directory("root", 0o700),
      directory("tmp", 0o1777),
      file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n"),
      file("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
      { type: "file", path: "bin/busybox", mode: 0o755, content: await readStaticProgram(program, "busybox-static") },
      ...applets.map((name): TarEntry => ({ type: "link", path: `bin/${name}`, target: "busybox" })),
    ],
    command: ["sh"],
    environment: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
  };
}
