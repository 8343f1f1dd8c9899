import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { remember } from "../remains/remember.ts";
import { endWithThis, eventually, runProgram } from "../run-program.ts";

/** A real registry (Debian's docker-registry) without TLS. */
export interface DockerRegistry extends AsyncDisposable {
  /** The name in images: "192.0.2.77:40123". */
  readonly host: string;
}

/**
 * An address of this host that is also reachable from network namespaces, and that is otherwise
 * unused (RFC 5737).
 */
const address = "192.0.2.77";
/** "kintsugi:secret", as htpasswd -B writes it. */
const htpasswd = "kintsugi:$2y$05$ActBPGLmuL1qwcQd6Cpu2u43LUr.VCckN/Zw5AEl1DCANzUFjzk/6\n";
export const registryLogin = { username: "kintsugi", password: "secret" };

const removal = ["address", "delete", `${address}/32`, "dev", "lo"];
let forgetAddress: (() => Promise<void>) | undefined;

/** Adds the address before the first registry starts; `removeRegistryAddress` removes it. */
export async function addRegistryAddress(): Promise<void> {
  forgetAddress = await remember({ kind: "undo", command: ["ip", ...removal] });
  await runProgram("ip", ["address", "replace", `${address}/32`, "dev", "lo"]);
}

export async function removeRegistryAddress(): Promise<void> {
  await runProgram("ip", removal);
  await forgetAddress?.();
}

/** @throws when the registry does not answer. With `isPrivate` only `registryLogin` is accepted. */
export async function startDockerRegistry({ isPrivate }: { isPrivate: boolean }): Promise<DockerRegistry> {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-registry-"));
  const host = `${address}:${await freePort()}`;
  const passwords = join(directory, "htpasswd");
  await writeFile(passwords, htpasswd);
  const config = {
    version: "0.1",
    log: { level: "error", accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(directory, "data") } },
    http: { addr: host },
    ...(isPrivate ? { auth: { htpasswd: { realm: "kintsugi", path: passwords } } } : {}),
  };
  const configFile = join(directory, "config.yml");
  await writeFile(configFile, JSON.stringify(config));
  const child = endWithThis(spawn("docker-registry", ["serve", configFile], { stdio: "ignore" }));
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  await eventually(`a registry at ${host}`, async () => (await fetch(`http://${host}/v2/`)).status < 500);
  return {
    host,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A registry whose clients wait until the test answers them with the error that the image does not
 * exist.
 */
export interface ReluctantRegistry extends AsyncDisposable {
  readonly host: string;
  /** Lists the images for which clients wait. */
  waiting(): string[];
  /** The most images that were requested at the same time. */
  readonly waitingMost: number;
  /** Answers all present and future requests for the image. */
  answer(image: string): void;
}

/** The protocol has the manifest of an image below "/v2/NAME/manifests/". */
export async function startReluctantRegistry(): Promise<ReluctantRegistry> {
  const held = new Map<string, ServerResponse[]>();
  const answered = new Set<string>();
  let waitingMost = 0;
  const refuse = (response: ServerResponse) =>
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  const server = createHttpServer((request, response) => {
    const image = /^\/v2\/(.+)\/manifests\//.exec(request.url ?? "")?.[1];
    if (image === undefined) return void response.writeHead(200).end();
    if (answered.has(image)) return void refuse(response);
    held.set(image, [...(held.get(image) ?? []), response]);
    waitingMost = Math.max(waitingMost, held.size);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return {
    host: `${address}:${port}`,
    waiting: () => [...held.keys()],
    get waitingMost() {
      return waitingMost;
    },
    answer(image) {
      answered.add(image);
      const responses = held.get(image) ?? [];
      held.delete(image);
      for (const response of responses) refuse(response);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
