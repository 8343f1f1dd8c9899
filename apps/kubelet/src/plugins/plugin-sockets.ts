/** A socket in the directory of plugins that register. */
export interface PluginSocket {
  readonly path: string;
  /** Changes when the socket is created again. */
  readonly identity: string;
}

/**
 * The directory in which plugins put their registration sockets (`<root-dir>/plugins_registry`).
 */
export interface PluginSockets {
  list(): Promise<readonly PluginSocket[]>;
  /** Calls back after a change, until the signal aborts; some changes may be missed. */
  watch(onChanged: () => void, signal: AbortSignal): void;
}
