/** How the server reaches a node's kubelet. */
export interface KubeletDialer {
  /** @throws ApiError when the address may not be dialled or nobody suitable answers there. */
  get(target: KubeletTarget, path: string, signal: AbortSignal): Promise<KubeletResponse>;
}

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
