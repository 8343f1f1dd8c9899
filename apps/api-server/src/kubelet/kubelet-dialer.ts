import type { Tunnel } from "../http/api-request.ts";

/** Connects the server to a node's kubelet. */
export interface KubeletDialer {
  /** @throws ApiError when the address may not be dialed or the kubelet does not answer. */
  get(target: KubeletTarget, path: string, signal: AbortSignal): Promise<KubeletResponse>;
  /**
   * Forwards a request of any method, with its body.
   * @throws ApiError as `get` does.
   */
  send(target: KubeletTarget, request: KubeletRequest, signal: AbortSignal): Promise<KubeletResponse>;
  /**
   * Requests a protocol upgrade of the connection.
   * @throws ApiError as `get` does.
   */
  upgrade(target: KubeletTarget, request: KubeletUpgradeRequest, signal: AbortSignal): Promise<KubeletUpgrade>;
}

export interface KubeletRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array> | Uint8Array | undefined;
}

export interface KubeletUpgradeRequest {
  method: string;
  path: string;
  /** Upgrade, and its related headers. */
  headers: Readonly<Record<string, string>>;
}

export type KubeletUpgrade =
  | { upgraded: true; headers: Readonly<Record<string, string>>; tunnel: Tunnel }
  | { upgraded: false; response: KubeletResponse };

export interface KubeletTarget {
  nodeName: string;
  /** The node's registered InternalIP. */
  address: string;
  port: number;
}

export interface KubeletResponse {
  status: number;
  contentType: string;
  body: AsyncIterable<Uint8Array>;
}

/** An error text from a kubelet is forwarded up to this length. */
const errorTextMax = 4096;

/** Reads the text of a kubelet's error response. */
export async function readErrorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > errorTextMax) break;
  }
  return text.slice(0, errorTextMax);
}
