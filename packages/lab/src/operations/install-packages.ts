import { spawn } from "node:child_process";

/**
 * Installs Debian packages; apt's output goes to `onOutput`.
 * @throws Error with the end of apt's output.
 */
export async function installPackages(packages: readonly string[], onOutput: (line: string) => void): Promise<void> {
  await apt(["update", "-qq"], onOutput);
  await apt(["install", "-y", "-qq", "--no-install-recommends", ...packages], onOutput);
}

function apt(args: readonly string[], onOutput: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("apt-get", [...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    });
    let last = "";
    const listen = (chunk: Buffer) => {
      for (const line of chunk
        .toString()
        .split("\n")
        .filter((l) => l.trim() !== "")) {
        last = line;
        onOutput(line);
      }
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`apt-get ${args.join(" ")} failed: ${last}`));
    });
  });
}
