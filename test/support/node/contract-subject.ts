import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime, type CriRuntimeOptions } from "@kintsugi/cri";
import type { RuntimeContractSubject } from "@kintsugi/cri/testing/contract";
import { type OciRuntime, type PrivateContainerd } from "@kintsugi/lab";
import { wantedOciRuntime } from "../host-abilities.ts";
import { startOwnContainerd } from "./own-containerd.ts";
import { type NamespacePort, openNamespacePort } from "./namespace-port.ts";

const deps = { clock: systemClock, random: systemRandom };

/** A separate containerd, with a unique name. */
export async function startContainerd(
  ociRuntime: OciRuntime | undefined = wantedOciRuntime(),
): Promise<PrivateContainerd> {
  const name = systemRandom.uuid().slice(0, 8);
  return await startOwnContainerd({
    name,
    directory: `/run/kintsugi-test-${name}`,
    podCidr: "10.231.0.0/24",
    ociRuntime,
  });
}

/**
 * A containerd as the subject of the runtime's contract, through the adapter with these options;
 * `dispose` is called at the end.
 */
export async function contractSubject(
  containerd: PrivateContainerd,
  options: Partial<CriRuntimeOptions>,
  dispose: () => Promise<void>,
): Promise<RuntimeContractSubject> {
  const reconnect = () => createCriRuntime(deps, { endpoint: containerd.endpoint, ...options });
  const runtime = reconnect();
  const usesCriEvents = options.eventSources?.[0] === "cri";
  const { runtimeVersion } = await runtime.version();
  const ports = new Map<string, Promise<NamespacePort>>();
  return {
    runtime,
    reconnect,
    reach: async (url) => {
      const { port, pathname } = new URL(url);
      const { directory, networkNamespacePath: namespacePath } = containerd;
      const opened = ports.get(port) ?? openNamespacePort({ namespacePath, directory, port: Number(port) });
      ports.set(port, opened);
      return `http://127.0.0.1:${(await opened).port}${pathname}`;
    },
    pass: (durationMs) => systemClock.sleep(durationMs),
    cgroupParent: containerd.cgroupParent,
    logRoot: join(containerd.directory, "logs"),
    makeLogDirectory: async (path) => void (await mkdir(path, { recursive: true })),
    readLog: (path) => readFile(path, "utf8").catch(() => ""),
    renameLog: rename,
    tellsOomKills: !usesCriEvents,
    tellsEverySubscriber: !usesCriEvents || !/^v?1\.7\./.test(runtimeVersion),
    [Symbol.asyncDispose]: async () => {
      runtime.close();
      for (const opened of ports.values()) await (await opened)[Symbol.asyncDispose]();
      await dispose();
    },
  };
}
