import type { Logger } from "@kintsugi/api";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { PluginInfo, Registration } from "@kintsugi/grpc";
import type { PluginSocket, PluginSockets } from "./plugin-sockets.ts";

/** Connects a node to the plugins that register with its kubelet. */
export interface PluginAccess {
  readonly sockets: PluginSockets;
  /** Opens the registration socket of a plugin. */
  readonly register: (socketPath: string) => Registration;
}

/** Accepts the plugins of one type. */
export interface PluginHandler {
  /** The type that plugins state: "CSIPlugin". */
  readonly type: string;
  /**
   * Connects to the plugin and checks it. @throws Error with the reason, which is sent to the
   * plugin.
   */
  open(info: PluginInfo, signal: AbortSignal): Promise<OpenPlugin>;
}

/** A plugin that has been checked. */
export interface OpenPlugin {
  /** Makes the plugin usable. A failed call is retried, and the plugin is not notified. */
  admit(signal: AbortSignal): Promise<void>;
  /** Called after the plugin has been notified that it is registered. */
  announce?(): void;
  /**
   * Closes the connection when its socket is closed or was created again, or when the kubelet
   * exits.
   */
  close(): void;
  /**
   * Called when the plugin's socket is closed, to remove the plugin from the API; the connection is
   * closed.
   */
  retire?(signal: AbortSignal): Promise<void>;
}

export interface PluginRegistryDeps {
  readonly access: PluginAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: readonly PluginHandler[];
}

/** Interval of searches for sockets in addition to the changes that the kernel reports. */
const sweepIntervalMs = 60_000;
/** Time after which a plugin that could not be registered is retried. */
const retryMs = 1_000;

// A plugin registers as with upstream's plugin watcher:
//
//   socket appears ─► GetInfo ─► open, admit (by its type) ─► NotifyRegistrationStatus
//   socket removed ─► close, retire

/** Follows the directory of plugins, and passes each plugin to the handler of its type. */
export class PluginRegistry {
  readonly #deps: PluginRegistryDeps;
  readonly #wakeUp: AutoResetEvent;
  readonly #byPath = new Map<string, { identity: string; plugin: OpenPlugin }>();

  constructor(deps: PluginRegistryDeps) {
    this.#deps = deps;
    this.#wakeUp = new AutoResetEvent(deps.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { access, log } = this.#deps;
    // The directory has to exist before it can be watched.
    await access.sockets.list();
    access.sockets.watch(() => this.#wakeUp.set(), signal);
    while (!signal.aborted) {
      const isWhole = await this.#lookForSockets(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn("plugin directory not read", { error });
        return false;
      });
      await this.#wakeUp.wait(isWhole ? sweepIntervalMs : retryMs, signal);
    }
    for (const { plugin } of this.#byPath.values()) plugin.close();
  }

  /** Returns whether every plugin is registered. */
  async #lookForSockets(signal: AbortSignal): Promise<boolean> {
    const sockets = await this.#deps.access.sockets.list();
    const present = new Map(sockets.map((socket) => [socket.path, socket]));
    for (const [path, { identity, plugin }] of this.#byPath) {
      if (present.get(path)?.identity === identity) continue;
      this.#byPath.delete(path);
      plugin.close();
      if (!present.has(path)) await plugin.retire?.(signal);
    }
    let isWhole = true;
    for (const socket of sockets) {
      if (!this.#byPath.has(socket.path)) isWhole = (await this.#register(socket, signal)) && isWhole;
    }
    return isWhole;
  }

  async #register(socket: PluginSocket, signal: AbortSignal): Promise<boolean> {
    const { access, log } = this.#deps;
    const registration = access.register(socket.path);
    let plugin: OpenPlugin | undefined;
    try {
      const info = await registration.getInfo(signal);
      const outcome = await this.#open(info, signal).catch((error: unknown) => error as Error);
      if (outcome instanceof Error) {
        log.warn("plugin not registered", { plugin: info.name, error: outcome });
        await registration.notify({ pluginRegistered: false, error: outcome.message }, signal);
        return false;
      }
      plugin = outcome;
      await plugin.admit(signal);
      this.#byPath.set(socket.path, { identity: socket.identity, plugin });
      await registration.notify({ pluginRegistered: true, error: "" }, signal);
      log.info("plugin registered", { type: info.type, plugin: info.name });
      plugin.announce?.();
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn("plugin not registered", { socket: socket.path, error });
      if (plugin !== undefined && !this.#byPath.has(socket.path)) plugin.close();
      return false;
    } finally {
      registration.close();
    }
  }

  async #open(info: PluginInfo, signal: AbortSignal): Promise<OpenPlugin> {
    const handler = this.#deps.handlers.find(({ type }) => type === info.type);
    if (handler === undefined) throw new Error(`plugins of type ${info.type} are not supported by this kubelet`);
    return handler.open(info, signal);
  }
}
