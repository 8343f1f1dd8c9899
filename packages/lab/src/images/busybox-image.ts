import { runCommand } from "@kintsugi/daemon";
import type { ImageDefinition } from "./image-archive.ts";
import { isStaticProgram, readStaticProgram } from "./static-program.ts";
import type { TarEntry } from "./tar.ts";

/** The host's own busybox as an image, with the tags that match its version. */
export async function busyboxImage(): Promise<ImageDefinition> {
  const program = isStaticProgram("/bin/busybox") ? "/bin/busybox" : "/usr/bin/busybox";
  const content = await readStaticProgram(program, "busybox-static");
  const [help, list] = await Promise.all([runCommand(program, ["--help"]), runCommand(program, ["--list"])]);
  const [banner = ""] = help.split("\n");
  const applets = list.split("\n").filter((name) => name !== "" && name !== "busybox");
  // An applet prints its usage on standard error.
  const usage = applets.includes("wget")
    ? await runCommand(program, ["sh", "-c", '"$0" wget --help 2>&1', program])
    : "";
  const substitutes = usage === "" || usage.includes("-T SEC") ? [] : wgetWithoutTimeout(banner);
  const replaced = new Set(substitutes.map(({ path }) => path));
  const directory = (path: string, mode = 0o755): TarEntry => ({ type: "directory", path, mode });
  return {
    names: busyboxTags(banner).map((tag) => `docker.io/library/busybox:${tag}`),
    files: [
      ...["bin", "dev", "etc", "home", "proc", "sys", "usr", "var"].map((path) => directory(path)),
      directory("root", 0o700),
      directory("tmp", 0o1777),
      file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n"),
      file("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
      { type: "file", path: "bin/busybox", mode: 0o755, content },
      ...applets
        .map((name): TarEntry => ({ type: "link", path: `bin/${name}`, target: "busybox" }))
        .filter(({ path }) => !replaced.has(path)),
      ...substitutes,
    ],
    command: ["sh"],
    environment: [
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      ...(replaced.has(shellFile) ? [`ENV=/${shellFile}`] : []),
    ],
  };
}

/**
 * Lists the image's tags: "BusyBox v1.35.0 (Debian …)" is busybox:1.35.0, 1.35 and 1. It is
 * "latest" as well, the default tag. The tag "stable" is omitted, because the host does not show
 * whether upstream calls this version stable.
 */
export function busyboxTags(banner: string): string[] {
  const [, major, minor, patch] = /^BusyBox v(\d+)\.(\d+)\.(\d+)\b/.exec(banner) ?? [];
  if (major === undefined) return ["latest"];
  return ["latest", major, `${major}.${minor}`, `${major}.${minor}.${patch}`];
}

const shellFile = "etc/shell";

/**
 * Debian's busybox before 1.36.1-5 is built without FEATURE_WGET_TIMEOUT. Such a wget accepts -T
 * nevertheless and writes its value to address 0, and so crashes (CVE-2026-76014). Debian has no
 * other static wget, so a script rejects that option with a message. busybox's shell prefers its
 * own applets to programs of the path; an interactive shell gets the message by ENV, and a script
 * in `sh -c` still crashes.
 */
export function wgetWithoutTimeout(banner: string): Extract<TarEntry, { type: "file" }>[] {
  const name = banner.replace(/ multi-call binary\.$/, "").replaceAll(/[^\w .:+~()-]/g, "");
  const script = `#!/bin/sh
for argument; do
  case "$argument" in
    -T* | -[cqS]T* | -[cqS][cqS]T* | -[cqS][cqS][cqS]T*)
      echo "wget: ${name} was built without -T: use timeout SECONDS wget" >&2
      exit 1
      ;;
  esac
done
exec /bin/busybox wget "$@"
`;
  return [file("bin/wget", script, 0o755), file(shellFile, 'wget() { /bin/wget "$@"; }\n')];
}

function file(path: string, text: string, mode = 0o644): Extract<TarEntry, { type: "file" }> {
  return { type: "file", path, mode, content: Buffer.from(text) };
}
