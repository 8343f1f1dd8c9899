import { spawn } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "@kintsugi/daemon";
import { repository } from "../support/lab-cluster.ts";
import { eventually, runProgram } from "../support/run-program.ts";

/** The host on which the tests run `docker`. */
export interface DockerHost extends AsyncDisposable {
  /**
   * Set for every command: the daemon's address, the names of images, and a PATH with `docker
   * compose`.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Docker's own proxy of a published port runs on the host, so a packet-filter rule is not needed.
 */
const daemonFlags = ["--iptables=false", "--ip6tables=false", "--ip-forward=false", "--bridge=none"];

/**
 * Finds a Docker to test with: a Docker that is already running, with the images that the compose
 * file names; or else a private Docker, which is isolated from the host and builds on replacements
 * made of Debian's packages.
 * @throws Error that names the missing part.
 */
export async function findDockerHost(): Promise<DockerHost> {
  const programs = await mkdtemp("/tmp/kintsugi-docker-");
  const remove = () => rm(programs, { recursive: true, force: true });
  try {
    const docker = await dockerCommand();
    const environment = {
      ...(await composeShim(programs, docker)),
      DOCKER_BUILDKIT: "0",
      COMPOSE_DOCKER_CLI_BUILD: "0",
    };
    const answers = await runProgram(docker, ["info"], { timeoutMs: 10_000 }).catch(() => undefined);
    if (answers?.code === 0) return { environment, [Symbol.asyncDispose]: remove };
    return await startDaemon(programs, environment);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Debian's program is first, if installed, because another in the PATH may be only a client. */
async function dockerCommand(): Promise<string> {
  const path = process.env["PATH"] ?? "";
  const found = existsSync("/usr/bin/docker") ? "/usr/bin/docker" : findProgram("docker", path);
  if (found === undefined)
    throw new Error("docker is missing: apt-get install docker.io docker-compose debootstrap prometheus");
  return found;
}

/**
 * `docker compose` for documentation's commands, including where compose is version 1, a program of
 * its own.
 */
async function composeShim(directory: string, docker: string): Promise<Record<string, string>> {
  const path = `${directory}:${process.env["PATH"] ?? ""}`;
  const hasPlugin = (await runProgram(docker, ["compose", "version"])).code === 0;
  const standalone = findProgram("docker-compose", process.env["PATH"] ?? "");
  if (!hasPlugin && standalone === undefined)
    throw new Error("neither `docker compose` nor docker-compose is installed: apt-get install docker-compose");
  const compose = hasPlugin ? `exec ${docker} compose "$@"` : `exec ${standalone} "$@"`;
  await writeFile(
    join(directory, "docker"),
    `#!/bin/sh\nif [ "$1" = compose ]; then shift; ${compose}; fi\nexec ${docker} "$@"\n`,
  );
  await chmod(join(directory, "docker"), 0o755);
  return { PATH: path };
}

async function startDaemon(directory: string, shim: Readonly<Record<string, string>>): Promise<DockerHost> {
  if (process.getuid?.() !== 0)
    throw new Error("no Docker answers, and only root can start one: start it, or run as root");
  const dockerd = findProgram("dockerd", process.env["PATH"] ?? "");
  if (dockerd === undefined) throw new Error("no Docker answers and dockerd is missing: apt-get install docker.io");
  const socket = join(directory, "docker.sock");
  // The root is on a disk, because images do not fit every /tmp.
  const root = await mkdtemp("/var/tmp/kintsugi-docker-");
  const log = openSync(join(directory, "dockerd.log"), "a");
  const child = spawn(
    dockerd,
    [
      `--data-root=${join(root, "data")}`,
      `--exec-root=${join(directory, "exec")}`,
      `--host=unix://${socket}`,
      `--pidfile=${join(directory, "docker.pid")}`,
      ...daemonFlags,
      ...(await runtimeFlags(directory)),
    ],
    { stdio: ["ignore", log, log], detached: true },
  );
  const environment = {
    ...shim,
    DOCKER_HOST: `unix://${socket}`,
    BUILD_NETWORK: "host",
    BASE_IMAGE: "kintsugi/stand-in-base:bookworm",
    NATS_IMAGE: "kintsugi/stand-in-nats:bookworm",
    ETCD_IMAGE: "kintsugi/stand-in-etcd:bookworm",
    HAPROXY_IMAGE: "kintsugi/stand-in-haproxy:bookworm",
    PROMETHEUS_IMAGE: "kintsugi/stand-in-prometheus:bookworm",
    GRAFANA_IMAGE: "kintsugi/stand-in-grafana:bookworm",
  };
  const host: DockerHost = {
    environment,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.kill("SIGTERM")) await ended;
      // The one mount that a daemon leaves behind.
      await runProgram("umount", [join(directory, "exec/netns/default")]);
      await rm(root, { recursive: true, force: true });
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    await eventually("the Docker daemon answers", async () => {
      if (child.exitCode !== null) throw new Error(await readFile(join(directory, "dockerd.log"), "utf8"));
      return (await runProgram("docker", ["info"], { env: environment })).code === 0;
    });
    const built = await runProgram(join(repository, "deploy/images/stand-in.sh"), [], {
      env: environment,
      timeoutMs: 600_000,
    });
    if (built.code !== 0) throw new Error(`the stand-in images cannot be built: ${built.stderr}`);
    return host;
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Even root lacks CAP_SYS_RESOURCE in some sandboxes, and runc cannot pass it to a privileged
 * container. In these sandboxes, a wrapper around runc removes this capability from containers and
 * from commands in containers.
 */
async function runtimeFlags(directory: string): Promise<string[]> {
  const status = await readFile("/proc/self/status", "utf8");
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  if (((effective >> 24n) & 1n) === 1n) return [];
  const wrapper = join(directory, "runc");
  await mkdir(directory, { recursive: true });
  await writeFile(wrapper, runcWithoutSysResource);
  await chmod(wrapper, 0o755);
  return ["--add-runtime", `without-sys-resource=${wrapper}`, "--default-runtime", "without-sys-resource"];
}

const runcWithoutSysResource = `#!/bin/sh
previous=
for argument in "$@"; do
  file=
  case "$previous" in
    --bundle|-b) file="$argument/config.json" ;;
    --process|-p) file="$argument" ;;
  esac
  [ -n "$file" ] && [ -f "$file" ] && sed -i 's/"CAP_SYS_RESOURCE",//g; s/,"CAP_SYS_RESOURCE"//g' "$file"
  previous=$argument
done
exec runc "$@"
`;
