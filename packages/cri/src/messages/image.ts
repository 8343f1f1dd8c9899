import type { PodSandboxConfig } from "./sandbox.ts";

export interface Image {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  sizeBytes: number;
  /** The numeric user or the name in the image's configuration. */
  uid?: number;
  username: string;
  pinned: boolean;
}

export interface PullOptions {
  auth?: { username: string; password: string; serverAddress?: string; identityToken?: string; registryToken?: string };
  sandboxConfig?: PodSandboxConfig;
}
