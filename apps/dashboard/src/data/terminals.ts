import { remoteCommandProtocol } from "../model/remote-command.ts";

/** Terminals in containers, if the page is served by `kintsugi dashboard`. */
export interface TerminalAccess {
  /** Reports whether the page's server offers terminals; an API server alone does not. */
  isOffered(): Promise<boolean>;
  /** Opens a connection to the path at the page's own server. */
  open(path: string): WebSocket;
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** @param send the browser's fetch */
export function createTerminalAccess(send: Fetch): TerminalAccess {
  return {
    async isOffered() {
      try {
        return (await send("/terminal/offer", { credentials: "same-origin", cache: "no-store" })).status === 204;
      } catch {
        return false;
      }
    },
    open(path) {
      const url = new URL(path, location.origin);
      url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
      return new WebSocket(url, remoteCommandProtocol);
    },
  };
}
